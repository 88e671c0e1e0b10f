import { type DirectiveNode, GraphQLError, Kind, OperationTypeNode } from 'graphql';

import type { SelectedOperation, Selection, Variables } from '../admission/selections.ts';
import { type Compilation, compileFields, type FieldInfo, writeField, writeFields } from './compile-fields.ts';
import { Execution, type Result } from './execution.ts';

/**
 * Runs a compiled operation, any number of times. Gives the result, at once where nothing was pending, and never rejects.
 * Resolvers share the frozen `args` of their field.
 *
 * @param variables coerced, with their defaults.
 */
export type RunCompiled = (context: unknown, variables: Variables) => Result | Promise<Result>;

interface CompileOptions {
  /** How many characters the values and aliases of an answer may have together; more is ANSWER_TOO_LARGE. */
  readonly maxLength: number;
  /** How many errors an answer may have; the last one says how many are left out. Default 200. */
  readonly maxErrors?: number;
  /** Whether callers may see the schema; else they are shown an empty one. Default `true`. */
  readonly isIntrospectable?: boolean;
}

/** The answer where a condition at the root fails. */
const NO_DATA = '{"data":null}\n';
/** How many combinations of `@skip` and `@include` are kept for an operation, and how many selections they may have together. */
const MAX_VARIANTS = 16;
const MAX_SELECTIONS = 2_000;

/** How often an operation may be kept compiled: once for each combination of its conditions, the latest ones. */
export function maxVariantsOf({ selections, size }: SelectedOperation): number {
  const combinations = 2 ** new Set(variablesOf(findConditions(selections))).size;
  return Math.min(combinations, MAX_VARIANTS, Math.max(1, Math.floor(MAX_SELECTIONS / size)));
}

/**
 * Compiles an operation of a valid document: what it gives is what graphql-js gives, in less time.
 *
 * Resolvers get no `info`. Lists and objects may hold promises; async iterables are not supported.
 */
export function compileOperation(
  operation: SelectedOperation,
  { maxLength, maxErrors = 200, isIntrospectable = true }: CompileOptions,
): RunCompiled {
  const { schema, definition, rootType, selections } = operation;
  const directives = findConditions(selections);
  const maxVariants = maxVariantsOf(operation);
  const variants = new Map<string, readonly FieldInfo[]>();

  const fieldsFor = (variables: Variables): readonly FieldInfo[] => {
    const conditions = pickConditions(directives, variables);
    const id = Object.values(conditions).join();
    const known = variants.get(id);
    if (known) return known;
    const [oldest] = variants.keys();
    if (oldest !== undefined && variants.size >= maxVariants) variants.delete(oldest);
    const compilation: Compilation = { schema, conditions, isIntrospectable, variableArgs: 0 };
    const fields = compileFields(compilation, rootType, selections);
    variants.set(id, fields);
    return fields;
  };
  const write = definition.operation === OperationTypeNode.MUTATION ? writeInSeries : writeTogether;

  return (context, variables) => {
    const fields = orError(() => fieldsFor(variables));
    if (fields instanceof GraphQLError) return { text: NO_DATA, errors: [fields], hasData: false };
    const execution = new Execution({ context, variables, maxLength, maxErrors });
    const written = write(execution, fields);
    const finish = () => execution.finish(() => `${fields.map(({ label }) => `${label}null`).join('')}}`);
    return written ? written.then(finish) : finish();
  };
}

/** Gives the conditions that depend on variables. */
function findConditions(selections: readonly Selection[], found = new Set<DirectiveNode>()): Iterable<DirectiveNode> {
  for (const { conditions, selections: below } of selections) {
    for (const directive of conditions.flatMap(({ directives = [] }) => directives)) {
      if (directive.arguments?.some(({ value }) => value.kind === Kind.VARIABLE)) found.add(directive);
    }
    findConditions(below, found);
  }
  return found;
}

/** Gives the values of the variables in conditions (`@skip`, `@include`). One that is `null` fails the object whose field it decides. */
const pickConditions = (directives: Iterable<DirectiveNode>, variables: Variables): Variables =>
  Object.fromEntries(variablesOf(directives).map((name) => [name, variables[name]]));

function variablesOf(directives: Iterable<DirectiveNode>): readonly string[] {
  const values = [...directives].flatMap(({ arguments: args = [] }) => args.map(({ value }) => value));
  return values.flatMap((value) => (value.kind === Kind.VARIABLE ? [value.name.value] : []));
}

/** Gives back an error that is meant for the client. */
function orError<T>(make: () => T): T | GraphQLError {
  try {
    return make();
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/** Gives a promise only where something is pending. */
function writeTogether(execution: Execution, fields: readonly FieldInfo[]): Promise<void> | undefined {
  const chunk = writeFields(execution, fields, { source: undefined, path: undefined, isNullable: false });
  execution.fill(execution.root, chunk);
  return execution.idle();
}

/** The fields of a mutation begin one after the other, each when all below the one before it is there. */
async function writeInSeries(execution: Execution, fields: readonly FieldInfo[]): Promise<void> {
  const { root } = execution;
  for (const field of fields) {
    const chunk = writeField(execution, field, undefined, undefined);
    root.append(field.label);
    execution.fill(root, chunk);
    await execution.idle();
    if (root.isNull) return;
  }
  root.append(fields.length === 0 ? '{}' : '}');
}
