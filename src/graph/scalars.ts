import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

import { isJsonObject, type Json, type JsonObject } from '../upstream/json.ts';
import { parseDateTime } from './typed/scalars.ts';

/** The custom scalars. Their descriptions stand in the SDL. */
export const scalars = {
  DateTime: new GraphQLScalarType<Date, string>({
    name: 'DateTime',
    serialize: (value) => (value as Date).toISOString(),
    parseValue: parseDateTime,
    parseLiteral: (node) => parseDateTime(node.kind === Kind.STRING ? node.value : undefined),
  }),
  JSON: new GraphQLScalarType<Json, Json>({
    name: 'JSON',
    serialize: (value) => value as Json,
    parseValue: (value) => checkExact(value as Json),
    parseLiteral: (node, variables) => fromLiteral(node, variables ?? {}),
  }),
  JSONObject: new GraphQLScalarType<JsonObject, JsonObject>({
    name: 'JSONObject',
    serialize: (value) => value as JsonObject,
    parseValue: (value) => checkObject(checkExact(value as Json)),
    parseLiteral: (node, variables) => checkObject(fromLiteral(node, variables ?? {})),
  }),
};

type Variables = Readonly<Record<string, unknown>>;

function fromLiteral(node: ValueNode, variables: Variables): Json {
  switch (node.kind) {
    case Kind.OBJECT:
      // GraphQL's own rule for input objects: a member whose variable is not given is not there; `null` must be said.
      return Object.fromEntries(
        node.fields
          .filter(({ value }) => value.kind !== Kind.VARIABLE || variables[value.name.value] !== undefined)
          .map(({ name, value }) => [name.value, fromLiteral(value, variables)]),
      );
    case Kind.LIST:
      return node.values.map((value) => fromLiteral(value, variables));
    case Kind.VARIABLE:
      return (variables[node.name.value] as Json | undefined) ?? null;
    case Kind.INT:
    case Kind.FLOAT:
      return checkExact(Number(node.value));
    case Kind.NULL:
      return null;
    default:
      return node.value;
  }
}

// A double may already have rounded such a number; passing it on would silently change what was said.
function checkExact(value: Json): Json {
  if (
    typeof value === 'number' &&
    (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
  ) {
    throw badInput('A number beyond ±(2^53 − 1) cannot be kept exactly; send it as a string.');
  }
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values<Json>(value)) checkExact(member);
  }
  return value;
}

function checkObject(value: Json): JsonObject {
  if (isJsonObject(value)) return value;
  throw badInput('This must be a JSON object.');
}

const badInput = (message: string) => new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
