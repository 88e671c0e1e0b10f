import {
  GraphQLError,
  GraphQLID,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';

import { DOCUMENT_FAULT } from '../answer-status.ts';

/** A global id holds two of the platform's ids and some more. */
const MAX_ID_LENGTH = 1_024;

/** A value somewhere in a variable. */
export interface GivenValue {
  readonly value: unknown;
  /** Such as `$input.values`. */
  readonly place: string;
  /** In any one list. */
  readonly maxListItems: number;
}

/**
 * Refuses a value that does not fit its type, and says where and what was expected, never what came.
 *
 * @throws {GraphQLError} BAD_USER_INPUT.
 */
export function checkValue(type: GraphQLInputType, given: GivenValue): void {
  const isAbsent = given.value === null || given.value === undefined;
  if (isNonNullType(type)) {
    if (isAbsent) throw mismatch(given, type);
    checkValue(type.ofType, given);
  } else if (!isAbsent) {
    if (isListType(type)) checkList(type.ofType, given);
    else if (isInputObjectType(type)) checkObject(type, given);
    else checkLeaf(type, given);
  }
}

// GraphQL takes a lone item for a list of one.
function checkList(type: GraphQLInputType, given: GivenValue): void {
  const { value, place, maxListItems } = given;
  const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  if (items === undefined) checkValue(type, given);
  else if (items.length > maxListItems) {
    throw refuse(`Too many items in the list ${place}: ${items.length}, and at most ${maxListItems} are taken.`);
  }
  for (const [index, item] of (items ?? []).entries()) {
    checkValue(type, { ...given, value: item, place: `${place}[${index}]` });
  }
}

function checkObject(type: GraphQLInputObjectType, given: GivenValue): void {
  const { value, place } = given;
  if (typeof value !== 'object' || Array.isArray(value)) throw mismatch(given, type);
  const members = new Map<string, unknown>(Object.entries(value as object));
  const fields = Object.values(type.getFields());
  const known = fields.filter(({ name }) => members.has(name));
  if (known.length < members.size) throw mismatch(given, type);
  for (const field of fields) {
    const isNeeded = members.has(field.name) || isRequiredInputField(field);
    const inner = { ...given, value: members.get(field.name), place: `${place}.${field.name}` };
    if (isNeeded) checkValue(field.type, inner);
  }
}

function checkLeaf(type: GraphQLLeafType, given: GivenValue): void {
  if (type === GraphQLID) checkId(given);
  else if (!isTaken(type, given.value)) throw mismatch(given, type);
}

function checkId(given: GivenValue): void {
  const { value, place } = given;
  if (typeof value === 'string') {
    if (value.length > MAX_ID_LENGTH) {
      throw refuse(`The id ${place} is too long: ${value.length} characters, and at most ${MAX_ID_LENGTH} are taken.`);
    }
    if (!value.isWellFormed() || /\p{Cc}/u.test(value)) throw refuse(`The id ${place} holds what no id can hold.`);
  } else if (!Number.isInteger(value)) {
    throw mismatch(given, GraphQLID);
  } else if (!Number.isSafeInteger(value)) {
    const problem = 'is a number beyond ±(2^53 − 1), which JSON does not keep exactly; send it as a string.';
    throw refuse(`The id ${place} ${problem}`);
  }
}

function isTaken(type: GraphQLLeafType, value: unknown): boolean {
  try {
    return type.parseValue(value) !== undefined;
  } catch (error) {
    // What a scalar of ours has to say about a value does not quote it.
    if (error instanceof GraphQLError && error.extensions['code'] === 'BAD_USER_INPUT') throw refuse(error.message);
    return false;
  }
}

const mismatch = ({ place }: GivenValue, type: GraphQLInputType) =>
  refuse(`${place} does not fit its type, ${type}.`, { [DOCUMENT_FAULT]: true });

const refuse = (message: string, extensions = {}) =>
  new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 }, ...extensions } });
