import {
  type ASTNode,
  type DirectiveNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLDirective,
  GraphQLError,
  type GraphQLField,
  isNonNullType,
  Kind,
  valueFromAST,
} from 'graphql';

export type Args = Record<string, unknown>;
export type Variables = Readonly<Record<string, unknown>>;

type Field = GraphQLField<unknown, unknown>;

/** The variables of one run, and the arguments that are already coerced. */
export interface ArgumentSource {
  readonly variables: Variables;
  readonly args: (Args | ArgumentError)[];
}

/** Returns the coerced arguments of a field. @throws {ArgumentError} like `readArgs`. */
export type ArgumentReader = (source: ArgumentSource) => Args;

/** Returns the reader of a field's arguments. */
export type ArgumentReaders = (
  definition: Field,
  node: FieldNode,
  hasVariables: boolean,
) => ArgumentReader;

/**
 * Creates a function that returns the reader of a field's arguments. A field in a fragment has one
 * reader for all spreads of the fragment. Literals are read once for all runs, variables once per
 * run.
 */
export function createArgumentReaders(): ArgumentReaders {
  const readers = new Map<FieldNode, Map<Field, ArgumentReader>>();
  let readersOfVariables = 0;

  const createReader = (
    definition: Field,
    node: FieldNode,
    hasVariables: boolean,
  ): ArgumentReader => {
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

  return (definition, node, hasVariables) => {
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

/** Returns the error instead of throwing it, so that all rows of a list share one error. */
function readArgsOrError(
  definition: Field,
  node: FieldNode,
  variables: Variables,
): Args | ArgumentError {
  try {
    return Object.freeze(readArgs(definition, node, variables));
  } catch (error) {
    if (error instanceof ArgumentError) return error;
    throw error;
  }
}

/** Arguments that do not match the definition of a field or directive. */
export class ArgumentError extends GraphQLError {
  /** The invalid value, or the field if the value is missing. */
  readonly node: ASTNode;

  constructor({ name, type }: GraphQLArgument, node: ASTNode) {
    const isNull = node.kind === Kind.VARIABLE && isNonNullType(type);
    const message = isNull
      ? `Argument "${name}" of non-null type "${type}" must not be null.`
      : 'This value does not fit its type.';
    super(message, { extensions: { code: 'BAD_USER_INPUT' } });
    this.node = node;
  }
}

/**
 * Returns the coerced arguments of a field or directive, with the results of graphql-js's
 * `getArgumentValues`. Errors of graphql-js print the value and search the document for its line,
 * which is slow for long texts.
 *
 * @throws {ArgumentError} if a variable is `null` for a non-null argument. Validation accepts
 *   such variables if they have a default.
 */
export function readArgs(
  { args: definitions }: Field | GraphQLDirective,
  node: FieldNode | DirectiveNode,
  variables: Variables = {},
): Args {
  const args: Args = {};
  for (const definition of definitions) {
    const { name, type, defaultValue } = definition;
    const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
    const isGiven =
      value?.kind === Kind.VARIABLE
        ? Object.hasOwn(variables, value.name.value)
        : value !== undefined;
    const coerced = isGiven ? valueFromAST(value, type, variables) : defaultValue;
    if (coerced !== undefined) args[name] = coerced;
    else if (isGiven || isNonNullType(type)) throw new ArgumentError(definition, value ?? node);
  }
  return args;
}
