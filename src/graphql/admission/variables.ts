import {
  type GraphQLEnumType,
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  valueFromAST,
} from 'graphql';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';

import { DOCUMENT_FAULT, requestError } from '../errors.ts';
import { type Constraint, MAX_VIOLATIONS, NOT_HELD, type Violation } from '../violations.ts';
import type { Variables } from './arguments.ts';
import type { SelectedOperation } from './selections.ts';

/** How variables are read. */
interface ReadOptions {
  /**
   * How strictly values are read. By default, a field reports the values that its constraints alone
   * refuse. `fully` refuses them here, and `partly` also accepts an operation without the values of
   * required variables.
   */
  readonly strictness?: 'fully' | 'partly' | undefined;
  /** Whether messages may have the names of members and choices. */
  readonly hasHints?: boolean;
}

/** Returns the coerced values, with their defaults, or the error that names all values that do not fit. */
export type ReadVariables = (
  values: Readonly<Record<string, unknown>>,
  options?: ReadOptions,
) => Variables | GraphQLError;

/** An invalid value. Its messages do not quote the value. */
interface Fault {
  readonly violation: Violation;
  readonly sentence: string;
  /** A second sentence, for clients that may see the schema. */
  readonly hint?: string;
  /**
   * Whether only a constraint of the input field is violated. The field reports this itself, so
   * that other fields still run.
   */
  readonly isConstraint?: boolean;
}

/**
 * The highest number of characters in an operation's arguments. A variable counts at each use, with
 * fragments expanded.
 */
const MAX_LENGTH = 1_000_000;

/**
 * Returns a function that reads an operation's variables. Undefined variables are ignored, because
 * Relay sends the connection ids of its own directives. Stricter than GraphQL in two points: it
 * refuses ids that a REST call cannot carry exactly, and arguments that are too long together.
 */
export function compileVariables(selected: SelectedOperation): ReadVariables {
  const { schema, definition, variables: uses, literalsLength } = selected;
  const variables = (definition.variableDefinitions ?? []).map(
    ({ variable, type, defaultValue }) => {
      // Validation has refused types that are not input types.
      const inputType = typeFromAST(schema, type as never) as GraphQLInputType;
      const name = variable.name.value;
      return {
        name,
        type: inputType,
        defaultValue: valueFromAST(defaultValue, inputType),
        defaultLength: uses.get(name)?.defaultLength ?? 0,
        uses: uses.get(name)?.uses ?? 0,
        extensions: uses.get(name)?.field?.extensions ?? {},
      };
    },
  );
  // GraphQL stores variables in an object. This name would set its prototype.
  const hasPrototype = variables.some(({ name }) => name === '__proto__');

  const isTooLong = (values: Variables): boolean => {
    let length = literalsLength;
    for (const { name, uses, defaultLength } of variables) {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      length += uses * (value === undefined ? defaultLength : lengthOf(value, MAX_LENGTH));
    }
    return length > MAX_LENGTH;
  };

  return (values, { strictness, hasHints = false } = {}) => {
    if (isTooLong(values)) return requestError(400, TOO_LONG);
    if (variables.length === 0) return NONE;
    if (hasPrototype || Object.hasOwn(values, '__proto__')) {
      return requestError(400, 'No variable can be named __proto__.');
    }
    const faults: Fault[] = [];
    const members = strictness === 'partly' ? variables.map(toOptional) : variables;
    const coerced = coerceMembers(members, values, [], faults);
    const isTaken = faults.every(({ isConstraint }) => isConstraint && strictness !== 'fully');
    return isTaken ? coerced : toError(faults.slice(0, MAX_VIOLATIONS), selected, hasHints);
  };
}

const toOptional = <T extends Member>(member: T): T => ({
  ...member,
  type: getNullableType(member.type),
});

const TOO_LONG = `The arguments of this operation are too long for the gateway: each variable counts at every place that names it, and at most ${MAX_LENGTH} characters are taken.`;

/** Returns the approximate number of characters of a JSON value. It stops counting above `max`. */
function lengthOf(value: unknown, max: number): number {
  if (typeof value === 'string') return Math.max(1, value.length);
  if (typeof value !== 'object' || value === null) return String(value).length;
  // An empty object or list also takes memory.
  let length = 2;
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    if (length > max) break;
    length += (isList ? 1 : name.length + 2) + lengthOf(member, max - length);
  }
  return length;
}

const NONE: Variables = Object.freeze({});

type Path = Violation['path'];

/**
 * The highest number of recorded faults. Constraints stop at half of it, to leave room for faults
 * of types. Further values are not checked, because each refusal by a type creates an error with a
 * stack.
 */
const MAX_FAULTS = 2 * MAX_VIOLATIONS;

/** Coerces a value like graphql-js, and adds its faults to `faults`. */
function coerce(type: GraphQLInputType, value: unknown, path: Path, faults: Fault[]): unknown {
  if (faults.length >= MAX_FAULTS) return undefined;
  if (isNonNullType(type)) {
    if (value !== null) return coerce(type.ofType, value, path, faults);
    return void faults.push(toFault(path, type, 'required'));
  }
  if (value === null) return null;
  if (isInputObjectType(type)) return coerceObject(type, value, path, faults);
  if (!isListType(type)) return coerceLeaf(type, value, path, faults);
  // GraphQL, "Input Coercion" of lists: a single value becomes a list of one item. The request's
  // parser has checked the length.
  if (!Array.isArray(value)) return [coerce(type.ofType, value, path, faults)];
  return value.map((item, index) => coerce(type.ofType, item, [...path, index], faults));
}

function coerceObject(
  type: GraphQLInputObjectType,
  value: unknown,
  path: Path,
  faults: Fault[],
): unknown {
  if (typeof value !== 'object' || Array.isArray(value))
    return void faults.push(toFault(path, type));
  const fields = type.getFields();
  const given = Object.keys(value as object);
  const unknown = given.filter((name) => !Object.hasOwn(fields, name));
  if (unknown.length > 0) {
    // Finding similar names takes time, so only the first object names more than one.
    const named = unknown.slice(0, faults.length === 0 ? MAX_VIOLATIONS : 1);
    const hints = named.map((name) => hintOfMember(name, Object.keys(fields)));
    faults.push({ ...toFault(path, type), hint: hints.join(' ') });
  }
  const [only = ''] = given;
  if (type.isOneOf && given.length !== 1)
    faults.push(toFault(path, type, 'kind', 'must have exactly one field'));
  const coerced = coerceMembers(Object.values(fields), value as Variables, path, faults);
  if (type.isOneOf && given.length === 1 && coerced[only] === null) {
    faults.push(toFault([...path, only], type, 'required'));
  }
  return coerced;
}

type Member = Pick<GraphQLInputField, 'name' | 'type' | 'defaultValue' | 'extensions'>;

/** Coerces variables or the fields of an input object. Absent members get their defaults. */
function coerceMembers(members: readonly Member[], given: Variables, path: Path, faults: Fault[]) {
  const coerced: Record<string, unknown> = {};
  for (const { name, type, defaultValue, extensions } of members) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value !== undefined)
      coerced[name] = coerceMember(type, value, [...path, name], faults, extensions.constraint);
    else if (defaultValue !== undefined) coerced[name] = defaultValue;
    else if (isNonNullType(type)) faults.push(toFault([...path, name], type, 'required'));
  }
  return coerced;
}

function coerceMember(
  type: GraphQLInputType,
  given: unknown,
  path: Path,
  faults: Fault[],
  constraint: Constraint | undefined,
): unknown {
  const before = faults.length;
  const value = coerce(type, given, path, faults);
  const isChecked = faults.length === before && before < MAX_VIOLATIONS;
  const violation = isChecked ? constraint?.(value) : undefined;
  if (violation === undefined) return value;
  const sentence = `${formatPath(path)} ${violation.message}.`;
  faults.push({ violation: { path, ...violation }, sentence, isConstraint: true });
  return value;
}

function coerceLeaf(type: GraphQLLeafType, value: unknown, path: Path, faults: Fault[]): unknown {
  const inexact = findInexact(type, value, path);
  if (inexact) return void faults.push(inexact);
  try {
    const parsed = type.parseValue(value);
    if (parsed !== undefined) return parsed;
    faults.push(toFault(path, type));
  } catch (error) {
    // The message of one of our own scalars.
    const rule = error instanceof GraphQLError ? error.extensions['rule'] : undefined;
    if (isEnumType(type))
      faults.push({ ...toFault(path, type, 'choices'), hint: hintOfEnum(type) });
    else if (typeof rule !== 'string') faults.push(toFault(path, type));
    else
      faults.push({
        ...toFault(path, type, 'kind', rule),
        sentence: `${formatPath(path)} ${rule}.`,
      });
  }
  return undefined;
}

/**
 * Returns whether a number may be rounded, because its JSON may have had other digits. JavaScript
 * writes larger numbers with an exponent. For other clients the digits are checked when the request
 * is read.
 */
const isRounded = (value: unknown): boolean =>
  Number.isInteger(value) &&
  !Number.isSafeInteger(value) &&
  Math.abs(Number(value)) < MIN_WITH_EXPONENT;

const MIN_WITH_EXPONENT = 1e21;

/** Returns the fault of a value that its type would coerce to other digits. */
function findInexact(type: GraphQLLeafType, value: unknown, path: Path): Fault | undefined {
  if (type === GraphQLFloat && isRounded(value)) return toFault(path, type, 'kind', NOT_HELD);
  const problem = type === GraphQLID ? findIdProblem(value) : undefined;
  if (problem === undefined) return undefined;
  return {
    ...toFault(path, type, 'kind', problem),
    sentence: `The id ${formatPath(path)} ${problem}.`,
  };
}

/** A global id contains up to two ids of the platform, and a prefix. */
const MAX_ID_LENGTH = 1_024;

function findIdProblem(id: unknown): string | undefined {
  if (typeof id === 'number' && Number.isInteger(id) && !Number.isSafeInteger(id)) {
    return 'is a number beyond ±(2^53 − 1), which JSON does not keep exactly; send it as a string';
  }
  if (typeof id !== 'string') return undefined;
  if (id.length > MAX_ID_LENGTH) {
    return `is too long: ${id.length} characters, at most ${MAX_ID_LENGTH}`;
  }
  return id.isWellFormed() && !/\p{Cc}/u.test(id)
    ? undefined
    : 'has a control character or a lone surrogate, which no id has';
}

function toFault(
  path: Path,
  type: GraphQLInputType,
  constraint: Violation['constraint'] = 'kind',
  problem?: string,
): Fault {
  const usual = constraint === 'kind' ? KIND_MESSAGES[String(type)] : MESSAGES[constraint];
  const message = problem ?? usual ?? `must be of the type ${type}`;
  return {
    violation: { path, constraint, message },
    sentence: `${formatPath(path)} does not fit its type, ${type}.`,
  };
}

/** Formats a path such as `$where[0].field`. */
const formatPath = ([variable, ...rest]: Path): string =>
  `$${variable}${rest.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')}`;

/** Creates the error for clients. The paths start at the argument, as in errors of fields. */
function toError(
  faults: readonly Fault[],
  { variables: uses, definition, locate }: SelectedOperation,
  hasHints: boolean,
): GraphQLError {
  const violations = faults.map(({ violation }): Violation => {
    const [name = '', ...rest] = violation.path;
    return { ...violation, path: [...(uses.get(String(name))?.path ?? [name]), ...rest] };
  });
  const sentences = faults.flatMap(({ sentence, hint }) =>
    hasHints && hint ? [sentence, hint] : [sentence],
  );
  const error = new GraphQLError(sentences.join(' '), {
    extensions: {
      code: 'BAD_USER_INPUT',
      http: { status: 400 },
      violations,
      [DOCUMENT_FAULT]: true,
    },
  });
  const names = new Set(faults.map(({ violation }) => violation.path[0]));
  const nodes = definition.variableDefinitions ?? [];
  return locate(
    error,
    nodes.filter(({ variable }) => names.has(variable.name.value)),
  );
}

/** Names an unknown member, and the members with similar names. */
function hintOfMember(unknown: string, members: readonly string[]): string {
  const name = unknown.slice(0, MAX_HINT_LENGTH);
  const similar = suggestionList(name, members).slice(0, MAX_SUGGESTIONS);
  const suggestion = similar.length > 0 ? `; did you mean ${similar.join(' or ')}?` : '.';
  return `It has no member ${JSON.stringify(name)}${suggestion}`;
}

/** Lists the first choices of an enum. */
function hintOfEnum(type: GraphQLEnumType): string {
  const names = type.getValues().map(({ name }) => name);
  const others = names.length > MAX_CHOICES ? ', …' : '';
  return `It must be one of ${names.slice(0, MAX_CHOICES).join(', ')}${others}.`;
}

const MAX_HINT_LENGTH = 100;
const MAX_SUGGESTIONS = 3;
const MAX_CHOICES = 30;

const MESSAGES: Readonly<Partial<Record<Violation['constraint'], string>>> = {
  required: 'must have a value',
  choices: 'must be one of the choices',
};

/** The messages for GraphQL's scalars. Users see them beside a form field. */
const KIND_MESSAGES: Readonly<Record<string, string>> = {
  Boolean: 'must be true or false',
  Float: 'must be a number',
  ID: 'must be an id',
  Int: 'must be a whole number',
  String: 'must be a text',
};
