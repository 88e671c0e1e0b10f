import {
  GraphQLError,
  GraphQLID,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';

import { type Constraint, constraintOf } from '../input/constraint.ts';
import type { Violation } from '../input/violation.ts';
import { type Fault, toBadId, toLongList, toMismatch, toObjected } from './fault.ts';

/** A global id holds two of the platform's ids and some more. */
const MAX_ID_LENGTH = 1_024;

/** A value somewhere in a variable. */
export interface GivenValue {
  readonly value: unknown;
  /** From the variable's name on. */
  readonly path: Violation['path'];
  /** In any one list. */
  readonly maxListItems: number;
  /** What the field of the value has against some values of its type. */
  readonly constraint?: Constraint | undefined;
}

type Faults = readonly Fault[];

/** Gives all that is wrong with a value, and with what is in it. */
export function findFaults(type: GraphQLInputType, given: GivenValue): Faults {
  const isAbsent = given.value === null || given.value === undefined;
  if (isNonNullType(type)) {
    return isAbsent ? [toMismatch(given.path, type, { constraint: 'required' })] : findFaults(type.ofType, given);
  }
  if (isAbsent) return inConstraint(given, null);
  if (isListType(type)) return inList(type.ofType, given);
  return isInputObjectType(type) ? inObject(type, given) : inLeaf(type, given);
}

// GraphQL takes a lone item for a list of one.
function inList(type: GraphQLInputType, given: GivenValue): Faults {
  const { value, path, maxListItems } = given;
  const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  if (items === undefined) return findFaults(type, given);
  if (items.length > maxListItems) return [toLongList(path, items.length, maxListItems)];
  return items.flatMap((item, index) => findFaults(type, { ...given, value: item, path: [...path, index] }));
}

function inObject(type: GraphQLInputObjectType, given: GivenValue): Faults {
  const { value, path } = given;
  if (typeof value !== 'object' || Array.isArray(value)) return [toMismatch(path, type)];
  const members = new Map<string, unknown>(Object.entries(value as object));
  const fields = Object.values(type.getFields());
  const known = fields.filter(({ name }) => members.has(name));
  const due = fields.filter((field) => members.has(field.name) || isRequiredInputField(field));
  const inMembers = due.flatMap((field) => {
    const member = { value: members.get(field.name), path: [...path, field.name] };
    return findFaults(field.type, { ...given, ...member, constraint: constraintOf(field) });
  });
  return known.length < members.size ? [toMismatch(path, type), ...inMembers] : inMembers;
}

function inLeaf(type: GraphQLLeafType, given: GivenValue): Faults {
  if (type === GraphQLID) return inId(given);
  try {
    const taken = type.parseValue(given.value);
    return taken === undefined ? [toMismatch(given.path, type)] : inConstraint(given, taken);
  } catch (error) {
    // What a scalar of ours has to say about a value does not quote it.
    const isOurs = error instanceof GraphQLError && error.extensions['code'] === 'BAD_USER_INPUT';
    const constraint = isEnumType(type) ? 'choices' : 'kind';
    return [toMismatch(given.path, type, { constraint, ...(isOurs && { sentence: error.message }) })];
  }
}

function inId(given: GivenValue): Faults {
  const { value, path } = given;
  if (typeof value !== 'string' && !Number.isInteger(value)) return [toMismatch(path, GraphQLID)];
  const problem = problemOf(value);
  return problem === undefined ? inConstraint(given, String(value)) : [toBadId(path, problem)];
}

function problemOf(id: unknown): string | undefined {
  if (typeof id !== 'string') {
    const problem = 'is a number beyond ±(2^53 − 1), which JSON does not keep exactly; send it as a string';
    return Number.isSafeInteger(id) ? undefined : problem;
  }
  if (id.length > MAX_ID_LENGTH) {
    return `is too long: ${id.length} characters, and at most ${MAX_ID_LENGTH} are taken`;
  }
  return id.isWellFormed() && !/\p{Cc}/u.test(id) ? undefined : 'holds what no id can hold';
}

function inConstraint({ constraint, path }: GivenValue, value: unknown): Faults {
  const objection = constraint?.(value);
  return objection === undefined ? [] : [toObjected(path, objection)];
}
