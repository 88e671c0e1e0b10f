import {
  execute,
  GraphQLError,
  type GraphQLFieldConfigMap,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSchema,
  GraphQLString,
  getNamedType,
  getNullableType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
  visit,
} from 'graphql';
import { readConfig, startGateway } from '../../../src/app/index.ts';
import { createLog } from '../../../src/core/log.ts';
import type { RequestIds } from '../../../src/core/observers.ts';
import type { ConfiguredFeature, Gateway } from '../../../src/features/feature.ts';
import { passThrough } from '../../../src/graphql/admission/cost.ts';
import { createContext, type OperationContext } from '../../../src/graphql/context.ts';
import { toClientError } from '../../../src/graphql/errors.ts';
import { withRootFields } from '../../../src/graphql/schema.ts';
import { withCost } from '../../../src/graphql/schema-metadata.ts';
import type { CallerRoute } from '../../../src/http/graphql-route.ts';
import { limitsOf } from '../../support/limits.ts';
import { PATIENT } from './settings.ts';

/** A GraphQL request. */
export interface Asked {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The response to a client, without `data` if nothing was executed. */
export interface Answered {
  readonly status: number;
  /** As JSON text. */
  readonly data: string | undefined;
  readonly errors: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly locations?: unknown;
    readonly extensions: Readonly<Record<string, unknown>>;
  }[];
}

/** A gateway that executes a request with its own executor or with graphql-js. */
export interface ComparedGateway {
  readonly schema: GraphQLSchema;
  readonly url: string;
  ours(asked: Asked): Promise<Answered>;
  theirs(asked: Asked): Promise<Answered>;
  close(): Promise<void>;
}

const SETTINGS = {
  PORT: '0',
  LOG_LEVEL: 'silent',
  TYPED_FORMS: '*',
  COST_MAX_CALLS: '100000',
  // Nothing of one answer is left for the other.
  CACHE_INSTANCES_MS: '0',
  CACHE_DEFINITIONS_MS: '0',
  ...PATIENT,
};

/**
 * Starts a gateway with the route `/reference`, at which graphql-js executes the same schema with
 * the same kind of context.
 */
export async function startCompared(
  env: Readonly<Record<string, string>>,
): Promise<ComparedGateway> {
  const opened: Gateway[] = [];
  const reference: ConfiguredFeature = {
    open(gateway) {
      opened.push(gateway);
      gateway.graph.addStep('whole', (schema) =>
        withRootFields(schema, 'query', echoFields(schema)),
      );
      gateway.http.routes.push({
        method: 'POST',
        url: '/reference',
        handle: ({ body }, _reply, caller) => executePlainly(body as Asked, gateway, caller),
      });
    },
  };
  const config = readConfig({ ...SETTINGS, ...env });
  const { url, close } = await startGateway(
    { ...config, limits: limitsOf({}), features: [...config.features, reference] },
    createLog('silent'),
  );
  const [gateway] = opened;
  if (gateway === undefined) throw new Error('The reference was not opened.');
  return {
    url,
    close,
    schema: gateway.graph.current().schema,
    ours: (asked) => post(`${url}/graphql`, asked),
    theirs: (asked) => post(`${url}/reference`, asked),
  };
}

async function post(url: string, asked: Asked): Promise<Answered> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(asked) });
  const text = await response.text();
  const { data, errors = [] } = JSON.parse(text);
  if (data === undefined) return { status: response.status, data, errors };
  // The bytes of the data as they came: errors are in front of them, where there are any.
  const head = errors.length > 0 ? `{"errors":${JSON.stringify(errors)},"data":` : '{"data":';
  if (!text.startsWith(head)) throw new Error(`An answer begins with ${text.slice(0, 100)}`);
  return { status: response.status, data: text.slice(head.length).trimEnd().slice(0, -1), errors };
}

/** Executes as a server of graphql-js alone would; the words of errors are the gateway's. */
async function executePlainly(
  { query, variables = {} }: Asked,
  gateway: Gateway,
  request: Parameters<CallerRoute['handle']>[2],
) {
  const { schema } = gateway.graph.current();
  const { caller, current, requestState } = request;
  const contextValue: OperationContext = createContext({
    observers: gateway.observers,
    ids: current.ids,
    client: { name: 'reference' },
    requestState,
    scope: caller.scope,
    session: caller.session,
  });
  const document = parse(query);
  const invalid = validate(schema, document, specifiedRules);
  if (invalid.length > 0)
    throw new Error(`${query} is invalid: ${invalid.map(({ message }) => message).join(' ')}`);
  const isMutation = document.definitions.some(
    (node) => 'operation' in node && node.operation === OperationTypeNode.MUTATION,
  );
  contextValue.operation = { kind: isMutation ? 'mutation' : 'query', name: undefined };
  const { data, errors = [] } = await execute({
    schema: asPlainSchema(schema),
    document,
    contextValue,
    variableValues: variables,
    ...(isMutation && { rootValue: variables }),
  });
  const formatted = errors.map((error) => toGatewayError(error, current.ids, contextValue));
  return {
    ...(formatted.length > 0 && { errors: formatted }),
    ...(data !== undefined && { data }),
  };
}

const plainSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>();

/**
 * Returns the schema with mutations that graphql-js can execute: the fourth argument of a change's
 * resolver is the gateway's function that reads the payload of a conflict.
 */
function asPlainSchema(schema: GraphQLSchema): GraphQLSchema {
  const plain = plainSchemas.get(schema) ?? createPlainSchema(schema);
  plainSchemas.set(schema, plain);
  return plain;
}

function createPlainSchema(schema: GraphQLSchema): GraphQLSchema {
  const gatewayMutation = schema.getMutationType();
  if (!gatewayMutation) return schema;
  const { fields, ...config } = gatewayMutation.toConfig();
  for (const field of Object.values(fields)) {
    const { resolve } = field;
    field.resolve = (variables, args, context, info) =>
      resolve?.(undefined, args, context, ((payload: unknown) =>
        selectPayload(payload, variables, context, info)) as never);
  }
  const { types, ...rest } = schema.toConfig();
  return new GraphQLSchema({
    ...rest,
    mutation: new GraphQLObjectType({ ...config, fields }),
    types: types.filter((type) => type !== gatewayMutation),
  });
}

/** Returns what a mutation selects of a payload: graphql-js executes its selection as a query. */
async function selectPayload(
  payload: unknown,
  variableValues: Asked['variables'],
  contextValue: OperationContext,
  { schema, returnType, fieldNodes, fragments, operation }: GraphQLResolveInfo,
): Promise<unknown> {
  const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  const query: OperationDefinitionNode = {
    ...operation,
    operation: OperationTypeNode.QUERY,
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  const { types } = schema.toConfig();
  const { data } = await execute({
    schema: new GraphQLSchema({ query: getNamedType(returnType) as GraphQLObjectType, types }),
    document: { kind: Kind.DOCUMENT, definitions: [query, ...Object.values(fragments)] },
    rootValue: payload,
    contextValue,
    variableValues,
  });
  return data;
}

/**
 * Formats an error for clients. graphql-js's own errors about arguments and conditions get the code
 * and the names of the variables, as the gateway has them.
 */
function toGatewayError(error: GraphQLError, ids: RequestIds, context: OperationContext) {
  const { message, nodes = [], path, extensions, originalError } = error;
  const isOwn =
    originalError === undefined || (originalError instanceof GraphQLError && originalError.nodes);
  if (!isOwn || 'code' in extensions) return toClientError(error, ids, context);

  const coded = new GraphQLError(message, {
    nodes,
    path: path ?? null,
    extensions: { code: 'BAD_USER_INPUT' },
  });
  const formatted = toClientError(coded, ids, context);
  const names: string[] = [];
  for (const node of nodes)
    visit(node, { Variable: ({ name }) => void names.push(`$${name.value}`) });
  const check = names.length > 0 ? ` Check ${names.join(', ')}.` : '';
  return { ...formatted, message: formatted.message + check };
}

/** Returns fields that echo their argument, one for each argument type. */
function echoFields(schema: GraphQLSchema): GraphQLFieldConfigMap<unknown, OperationContext> {
  const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}),
  );
  const types = new Map(
    roots.flatMap(({ args }) => args.map(({ type }) => [String(getNullableType(type)), type])),
  );
  return Object.fromEntries(
    [...types.values()].map((type, index) => [
      `${ECHO}${index}`,
      {
        type: GraphQLString,
        args: { value: { type: getNullableType(type) } },
        resolve: (_root: unknown, args: object) => JSON.stringify(args, markUndefined),
        ...withCost(passThrough),
      },
    ]),
  );
}

/** The prefix of the names of the echoing fields. */
export const ECHO = 'echo__';

const markUndefined = (_key: string, value: unknown) => (value === undefined ? 'undefined' : value);
