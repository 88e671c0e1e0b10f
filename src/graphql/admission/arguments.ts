import {
  type ASTNode,
  type DirectiveNode,
  type FieldNode,
  type GraphQLDirective,
  GraphQLError,
  type GraphQLField,
  type GraphQLInputType,
  isNonNullType,
  Kind,
  type ValueNode,
  valueFromAST,
} from 'graphql';

export type Args = Record<string, unknown>;
export type Variables = Readonly<Record<string, unknown>>;

type Field = GraphQLField<unknown, unknown>;

/** The values of one run that arguments are read from, and the arguments that were read so far. */
export interface ArgumentSource {
  readonly variables: Variables;
  readonly args: (Args | ArgumentError)[];
}

/** Returns the coerced arguments of a field. @throws {ArgumentError} as `readArgs`. */
export type ArgumentReader = (source: ArgumentSource) => Args;

/**
 * Creates a function that returns the reader of a field's arguments. A field of a fragment has one
 * reader, however often the fragment is spread: literals are read once for all runs, variables once
 * per run.
 */
export function createArgumentReaders() {
  const readers = new Map<FieldNode, Map<Field, ArgumentReader>>();
  let readersOfVariables = 0;

  const createReader = (definition: Field, node: FieldNode, hasVariables: boolean): ArgumentReader => {
    if (hasVariables) {
      const number = readersOfVariables++;
      return ({ args, variables }) => {
        args[number] ??= readArgsOrError(definition, node, variables);
        const read = args[number];
        if (read instanceof ArgumentError) throw read;
        return read;
      };
    }
    let constant: Args | undefined;
    return () => {
      constant ??= Object.freeze(readArgs(definition, node));
      return constant;
    };
  };

  return (definition: Field, node: FieldNode, hasVariables: boolean): ArgumentReader => {
    if (definition.args.length === 0) return readNothing;
    const ofNode = readers.get(node) ?? new Map<Field, ArgumentReader>();
    readers.set(node, ofNode);
    // A field of an interface has a definition for each type.
    const reader = ofNode.get(definition) ?? createReader(definition, node, hasVariables);
    ofNode.set(definition, reader);
    return reader;
  };
}

const NOTHING: Args = Object.freeze({});
const readNothing: ArgumentReader = () => NOTHING;

/** Returns a function that computes something from arguments once for all places and rows that share them. */
export function oncePerArgs<A extends object, T>(compute: (args: A) => T): (args: A) => T {
  const outcomes = new WeakMap<A, { readonly value: T } | { readonly error: unknown }>();
  const attempt = (args: A) => {
    try {
      return { value: compute(args) };
    } catch (error) {
      return { error };
    }
  };
  return (args) => {
    const outcome = outcomes.get(args) ?? attempt(args);
    outcomes.set(args, outcome);
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  };
}

/** Wrong arguments fail every row of a list: with one error for all of them. */
function readArgsOrError(definition: Field, node: FieldNode, variables: Variables): Args | ArgumentError {
  try {
    return Object.freeze(readArgs(definition, node, variables));
  } catch (error) {
    if (error instanceof ArgumentError) return error;
    throw error;
  }
}

/** Arguments that do not fit a field or a directive. */
export class ArgumentError extends GraphQLError {
  /** The value, or the field without one. */
  readonly node: ASTNode;

  constructor(message: string, node: ASTNode) {
    super(message, { extensions: { code: 'BAD_USER_INPUT' } });
    this.node = node;
  }
}

/**
 * Returns the coerced arguments of a field or a directive, as `getArgumentValues` of graphql-js does.
 * An error of graphql-js prints the value and searches the document for its line, however long both are.
 *
 * @throws {ArgumentError} for a variable that is `null` where `null` is not allowed. Validation
 *   accepts such a variable if it has a default.
 */
export function readArgs(
  definition: Field | GraphQLDirective,
  node: FieldNode | DirectiveNode,
  variables: Variables = {},
): Args {
  const args: Args = {};
  for (const { name, type, defaultValue } of definition.args) {
    const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value !== undefined && isGiven(value, variables)) {
      args[name] = readArg(name, type, value, variables);
    } else if (defaultValue !== undefined) {
      args[name] = defaultValue;
    } else if (isNonNullType(type)) {
      throw absentError(name, type, value ?? node);
    }
  }
  return args;
}

const isGiven = (value: ValueNode, variables: Variables): boolean =>
  value.kind !== Kind.VARIABLE || Object.hasOwn(variables, value.name.value);

function readArg(name: string, type: GraphQLInputType, value: ValueNode, variables: Variables) {
  const isNull = value.kind === Kind.VARIABLE && variables[value.name.value] === null;
  if (isNull && isNonNullType(type)) {
    throw new ArgumentError(`Argument "${name}" of non-null type "${type}" must not be null.`, value);
  }
  const coerced = valueFromAST(value, type, variables);
  if (coerced === undefined) throw new ArgumentError('This value does not fit its type.', value);
  return coerced;
}

function absentError(name: string, type: GraphQLInputType, node: ASTNode): ArgumentError {
  const what =
    node.kind === Kind.VARIABLE
      ? `provided the variable "$${node.name.value}" which was not provided a runtime value`
      : 'not provided';
  return new ArgumentError(`Argument "${name}" of required type "${type}" was ${what}.`, node);
}
