import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';

import { findConditions, readConditions, type Variables } from './collect-fields.ts';
import { type Compilation, compileFields, type FieldInfo, writeField, writeFields } from './compile-fields.ts';
import { Execution, type ExecutionResult } from './execution.ts';

/** What an operation gave, and whether a field at its root has a value. */
export interface OperationResult extends ExecutionResult {
  readonly hasData: boolean;
}

/** A compiled operation of a document, which can run any number of times. */
export interface CompiledOperation {
  readonly operation: OperationDefinitionNode;
  /**
   * Gives the data as JSON text, and the errors in the order of the answer. It gives them at once where nothing was pending, and
   * never rejects. Resolvers share the frozen `args` of their field.
   */
  run(context: unknown, variables: Variables): OperationResult | Promise<OperationResult>;
}

export interface CompileOptions {
  /** How many characters the values and aliases of an answer may have together; more is ANSWER_TOO_LARGE. */
  readonly maxLength: number;
  /** How many errors an answer may have; the last one says how many are left out. Default 200. */
  readonly maxErrors?: number;
  /** Whether callers may see the schema; else they are shown an empty one, and errors suggest no names. Default `true`. */
  readonly isIntrospectable?: boolean;
}

/** One bad list among the variables could give thousands. */
const MAX_VARIABLE_ERRORS = 10;

/** How many combinations of `@skip` and `@include` are kept for an operation, the latest. */
const MAX_PLANS = 16;

/**
 * Compiles an operation of a valid document: what it gives is what graphql-js gives, in less time. Gives an error, in the words of
 * graphql-js, where the document does not have that operation.
 *
 * A resolver gets `info` if it declares four parameters. Lists and objects may hold promises; async iterables are not supported.
 */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  { maxLength, maxErrors = 200, isIntrospectable = true }: CompileOptions,
): CompiledOperation | GraphQLError {
  const operation = findOperation(document, operationName);
  if (operation instanceof GraphQLError) return operation;
  const rootType = schema.getRootType(operation.operation);
  if (!rootType) {
    const message = `Schema is not configured to execute ${operation.operation} operation.`;
    return new GraphQLError(message, { nodes: operation });
  }
  const fragments = fragmentsOf(document);
  const directives = findConditions(operation, fragments);
  const plans = new Map<string, readonly FieldInfo[]>();

  const fieldsFor = (variables: Variables): readonly FieldInfo[] => {
    const conditions = readConditions(directives, variables);
    const id = Object.values(conditions).join();
    const known = plans.get(id);
    if (known) return known;
    const [oldest] = plans.keys();
    if (oldest !== undefined && plans.size >= MAX_PLANS) plans.delete(oldest);
    const compilation: Compilation = { schema, operation, fragments, conditions, isIntrospectable, variableArgs: 0 };
    const fields = compileFields(compilation, rootType, [operation.selectionSet]);
    plans.set(id, fields);
    return fields;
  };
  const write = operation.operation === OperationTypeNode.MUTATION ? writeInSeries : writeTogether;

  return {
    operation,
    run(context, given) {
      const { coerced: variables, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], given, {
        maxErrors: MAX_VARIABLE_ERRORS,
        hideSuggestions: !isIntrospectable,
      });
      if (errors) return { data: undefined, errors, hasData: false };
      const fields = orError(() => fieldsFor(variables));
      if (fields instanceof GraphQLError) return { data: undefined, errors: [fields], hasData: false };
      const execution = new Execution({ context, variables, maxLength, maxErrors });
      const written = write(execution, fields);
      const finish = () => withHasData(execution.finish(), fields);
      return written ? written.then(finish) : finish();
    },
  };
}

/** An answer without data is `null`, or has `null` at each of its fields. */
function withHasData({ data, errors }: ExecutionResult, fields: readonly FieldInfo[]): OperationResult {
  if (errors.length === 0) return { data, errors, hasData: true };
  const nulls = fields.map(({ label }) => `${label}null`).join('');
  return { data, errors, hasData: data !== 'null' && data !== `${nulls}}` };
}

/** Gives the requested operation; the document's other ones do not run. */
function findOperation(
  { definitions }: DocumentNode,
  name: string | undefined,
): OperationDefinitionNode | GraphQLError {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (name !== undefined) {
    const found = operations.find((node) => node.name?.value === name);
    return found ?? new GraphQLError(`Unknown operation named "${name}".`);
  }
  const [operation, ...others] = operations;
  if (others.length > 0) {
    return new GraphQLError('Must provide operation name if query contains multiple operations.');
  }
  return operation ?? new GraphQLError('Must provide an operation.');
}

function fragmentsOf({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const node of definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments[node.name.value] = node;
  return fragments;
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
