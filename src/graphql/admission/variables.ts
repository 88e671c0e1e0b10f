import {
  type DocumentNode,
  GraphQLError,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';

import { DOCUMENT_FAULT, requestError } from '../errors.ts';
import { type Constraint, type ConstraintViolation, MAX_VIOLATIONS, type Violation } from '../violations.ts';
import { LIMITS } from './limits.ts';
import type { Variables } from './selections.ts';
import { findPlaces, type Places } from './variable-places.ts';

/** A global id holds two of the platform's ids and some more. */
const MAX_ID_LENGTH = 1_024;

type ViolationPath = Violation['path'];

interface VariableError {
  /** Says where and what was expected, never what came. */
  readonly sentence: string;
  /** Its path starts with the variable's name. */
  readonly violation: Violation;
  /** `type`: it is not of its type. `id`: no REST call can carry it. `constraint`: it violates its field's constraint. */
  readonly kind: 'type' | 'id' | 'constraint';
}

type Errors = readonly VariableError[];

interface Variable {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly hasDefault: boolean;
  readonly constraint: Constraint | undefined;
}

interface VariablesOptions {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Whether clients may see the schema. */
  readonly isIntrospectable: boolean;
}

/**
 * Gives the coerced values, with their defaults, or the error, BAD_USER_INPUT, for values that do not fit; `isPlanned` refuses
 * also what constraints alone refuse.
 */
export type ReadVariables = (
  values: Readonly<Record<string, unknown>>,
  isPlanned?: boolean,
) => Variables | GraphQLError;

/**
 * Reads an operation's variables, and refuses those that do not fit their types. Clients who may see the schema
 * get GraphQL's own messages, which quote the value and suggest a better one; others get the place and the expected type. All
 * problems are listed at once, also what a field's constraint would have refused. A variable that the operation does not define
 * is ignored: Relay sends the ids of connections that only its own directives use. Stricter than GraphQL in this: an id that no
 * REST call can carry exactly is refused.
 */
export function compileVariables({ schema, document, operation, isIntrospectable }: VariablesOptions): ReadVariables {
  const { variableDefinitions = [] } = operation;
  const places: Places = variableDefinitions.length === 0 ? new Map() : findPlaces(schema, document, operation);
  const hasPrototype = variableDefinitions.some(({ variable }) => variable.name.value === '__proto__');
  const variables = variableDefinitions.flatMap(({ variable, type, defaultValue }): Variable[] => {
    // Validation has refused what is no input type.
    const inputType = typeFromAST(schema, type as never) as GraphQLInputType | undefined;
    if (inputType === undefined) return [];
    const name = variable.name.value;
    const constraint = places.get(name)?.field?.extensions.constraint;
    return [{ name, type: inputType, hasDefault: defaultValue !== undefined, constraint }];
  });

  return (values, isPlanned = false) => {
    // GraphQL keeps variables in an object, whose prototype this would change.
    if (hasPrototype || Object.hasOwn(values, '__proto__')) {
      return requestError(400, 'No variable can be named __proto__.');
    }
    const errors = variables.flatMap(({ name, type, hasDefault, constraint }): Errors => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value !== undefined) return findErrors(type, { value, path: [name], constraint });
      return hasDefault ? [] : findErrors(type, { value, path: [name] });
    });
    // What a field's constraint alone refuses is for the field to say, where it costs the other fields nothing.
    if (errors.length === 0 || (!isPlanned && errors.every(({ kind }) => kind === 'constraint'))) {
      return coerce(schema, variableDefinitions, values);
    }
    // Of ids and constraints GraphQL says nothing.
    const isMismatch = errors.every(({ kind }) => kind === 'type');
    const words = isIntrospectable && isMismatch ? graphqlMessages(schema, variableDefinitions, values) : [];
    return toError(errors.slice(0, MAX_VIOLATIONS), places, words);
  };
}

function coerce(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  values: Readonly<Record<string, unknown>>,
): Variables | GraphQLError {
  if (definitions.length === 0) return NONE;
  const { coerced, errors: [error] = [] } = getVariableValues(schema, definitions, values, { hideSuggestions: true });
  return coerced ?? requestError(400, error?.message ?? 'The variables do not fit their types.');
}

const NONE: Variables = Object.freeze({});

/** GraphQL's own errors of values that do not fit. Each of its errors may cost a comparison with many names. */
function graphqlMessages(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  values: Readonly<Record<string, unknown>>,
): readonly string[] {
  const { errors = [] } = getVariableValues(schema, definitions, values, { maxErrors: LIMITS.validationErrors });
  return errors.map(({ message }) => message);
}

function toError(errors: Errors, places: Places, words: readonly string[]): GraphQLError {
  const violations = errors.map(({ violation }): Violation => {
    const [variable, ...rest] = violation.path;
    return { ...violation, path: [...(places.get(String(variable))?.path ?? [String(variable)]), ...rest] };
  });
  const isDocumentFault = errors.every(({ kind }) => kind !== 'id');
  const message = words.length > 0 ? words.join(' ') : errors.map(({ sentence }) => sentence).join(' ');
  const extensions = { code: 'BAD_USER_INPUT', http: { status: 400 }, violations };
  return new GraphQLError(message, {
    extensions: { ...extensions, ...(isDocumentFault && { [DOCUMENT_FAULT]: true }) },
  });
}

interface GivenValue {
  readonly value: unknown;
  /** From the variable's name on. */
  readonly path: ViolationPath;
  /** Of the field that the value is for. */
  readonly constraint?: Constraint | undefined;
}

/** Gives all that is wrong with a value, and with what is in it. */
function findErrors(type: GraphQLInputType, given: GivenValue): Errors {
  const isAbsent = given.value === null || given.value === undefined;
  if (isNonNullType(type)) {
    return isAbsent ? [mismatch(given.path, type, { constraint: 'required' })] : findErrors(type.ofType, given);
  }
  if (isAbsent) return inConstraint(given, null);
  if (isListType(type)) return inList(type.ofType, given);
  return isInputObjectType(type) ? inObject(type, given) : inLeaf(type, given);
}

// GraphQL takes a lone item for a list of one. How long a list may be was checked when the request was read.
function inList(type: GraphQLInputType, given: GivenValue): Errors {
  const { value, path } = given;
  const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  const inItems =
    items?.flatMap((item, index) => findErrors(type, { value: item, path: [...path, index] })) ??
    findErrors(type, { value, path });
  return [...inConstraint(given, items ?? [value]), ...inItems];
}

function inObject(type: GraphQLInputObjectType, { value, path }: GivenValue): Errors {
  if (typeof value !== 'object' || Array.isArray(value)) return [mismatch(path, type)];
  const members = new Map<string, unknown>(Object.entries(value as object));
  const fields = Object.values(type.getFields());
  const known = fields.filter(({ name }) => members.has(name));
  const checked = fields.filter((field) => members.has(field.name) || isRequiredInputField(field));
  const inMembers = checked.flatMap((field) =>
    findErrors(field.type, {
      value: members.get(field.name),
      path: [...path, field.name],
      constraint: field.extensions.constraint,
    }),
  );
  const inChoice = type.isOneOf ? inOneOf(known, members, path, type) : [];
  return [...(known.length < members.size ? [mismatch(path, type)] : []), ...inChoice, ...inMembers];
}

/** Finds the problem of the choice of a `@oneOf` input, whatever the problem of the chosen value. */
function inOneOf(
  known: readonly GraphQLInputField[],
  members: ReadonlyMap<string, unknown>,
  path: ViolationPath,
  type: GraphQLInputObjectType,
): Errors {
  const [field, ...others] = known;
  if (field === undefined || others.length > 0)
    return [mismatch(path, type, { message: 'must have exactly one field' })];
  const isNull = members.get(field.name) === null;
  return isNull ? [mismatch([...path, field.name], field.type, { constraint: 'required' })] : [];
}

function inLeaf(type: GraphQLLeafType, given: GivenValue): Errors {
  if (type === GraphQLID) return inId(given);
  try {
    const parsed = type.parseValue(given.value);
    return parsed === undefined ? [mismatch(given.path, type)] : inConstraint(given, parsed);
  } catch (error) {
    // What a scalar of ours says of a value does not quote it.
    const isOurs = error instanceof GraphQLError && error.extensions['code'] === 'BAD_USER_INPUT';
    const constraint = isEnumType(type) ? 'choices' : 'kind';
    return [mismatch(given.path, type, { constraint, ...(isOurs && { sentence: error.message }) })];
  }
}

function inId(given: GivenValue): Errors {
  const { value, path } = given;
  if (typeof value !== 'string' && !Number.isInteger(value)) return [mismatch(path, GraphQLID)];
  const problem = findIdProblem(value);
  if (problem === undefined) return inConstraint(given, String(value));
  const violation = { path, constraint: 'kind', message: problem } as const;
  return [{ sentence: `The id ${formatPath(path)} ${problem}.`, violation, kind: 'id' }];
}

function findIdProblem(id: unknown): string | undefined {
  if (typeof id !== 'string') {
    const problem = 'is a number beyond ±(2^53 − 1), which JSON does not keep exactly; send it as a string';
    return Number.isSafeInteger(id) ? undefined : problem;
  }
  if (id.length > MAX_ID_LENGTH) {
    return `is too long: ${id.length} characters, and at most ${MAX_ID_LENGTH} are taken`;
  }
  return id.isWellFormed() && !/\p{Cc}/u.test(id) ? undefined : 'holds what no id can hold';
}

function inConstraint({ constraint, path }: GivenValue, value: unknown): Errors {
  const violation = constraint?.(value);
  if (violation === undefined) return [];
  const sentence = `${formatPath(path)} ${violation.message}.`;
  return [{ sentence, violation: { path, ...violation }, kind: 'constraint' }];
}

interface MismatchOptions {
  readonly constraint?: 'required' | 'choices' | 'kind';
  /** The problem in the type's own words. */
  readonly sentence?: string;
  /** Where the type alone does not say what is wrong. */
  readonly message?: string;
}

function mismatch(path: ViolationPath, type: GraphQLInputType, options: MismatchOptions = {}): VariableError {
  const { constraint = 'kind', sentence = `${formatPath(path)} does not fit its type, ${type}.` } = options;
  const message = options.message ?? MESSAGES[constraint] ?? KINDS[String(type)] ?? `must be of the type ${type}`;
  return { sentence, violation: { path, constraint, message }, kind: 'type' };
}

const MESSAGES: Readonly<Partial<Record<ConstraintViolation['constraint'], string>>> = {
  required: 'must have a value',
  choices: 'must be one of the choices',
};

/** The values of a scalar, in words for users who see them beside a field. */
const KINDS: Readonly<Record<string, string>> = {
  Boolean: 'must be true or false',
  Date: 'must be a date, such as 2026-01-31',
  DateTime: 'must be a date and time with an offset, such as 2026-01-31T12:00:00Z',
  Decimal: 'must be a number',
  Float: 'must be a number',
  ID: 'must be an id',
  Int: 'must be a whole number',
  Long: 'must be a whole number',
  String: 'must be a text',
};

/** Such as `$where[0].field`. */
const formatPath = ([variable, ...rest]: ViolationPath): string =>
  `$${variable}${rest.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')}`;
