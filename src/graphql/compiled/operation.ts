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

import { conditionsOf } from './conditions.ts';
import type { CompiledField } from './field.ts';
import { inOrder } from './in-order.ts';
import { append, textOf } from './piece.ts';
import { compileFields, writeFields } from './plan.ts';
import { createRun, type Run } from './run.ts';

/** What became of an operation. */
export interface Executed {
  /** The data as JSON, `undefined` where nothing was executed. */
  readonly data: string | undefined;
  readonly errors: readonly GraphQLError[];
}

/** An operation, ready to be executed as often as it is asked. It is given at once where nothing has to be waited for. */
export type CompiledOperation = (
  context: unknown,
  variables: Readonly<Record<string, unknown>>,
) => Executed | Promise<Executed>;

interface CompileOptions {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** How many characters the values of an answer may have together. */
  readonly maxLength: number;
}

/** So many ways to leave out parts of an operation are kept, the latest. */
const MAX_VARIANTS = 16;

/** Compiles a valid query or mutation. What it gives is what graphql-js gives, in less time. */
export function compileOperation({ schema, document, operation, maxLength }: CompileOptions): CompiledOperation {
  const fragments = fragmentsOf(document);
  const conditions = conditionsOf(document);
  const root = schema.getRootType(operation.operation);
  const variants = new Map<string, readonly CompiledField[]>();

  const fieldsFor = (variables: Readonly<Record<string, unknown>>): readonly CompiledField[] => {
    const key = conditions.map((name) => variables[name]).join();
    const known = variants.get(key);
    if (known) return known;
    const [oldest] = variants.keys();
    if (oldest !== undefined && variants.size >= MAX_VARIANTS) variants.delete(oldest);
    const fields = root ? compileFields(operation, root, { schema, fragments, conditions: variables }) : [];
    variants.set(key, fields);
    return fields;
  };
  const write = operation.operation === OperationTypeNode.MUTATION ? writeInTurn : writeTogether;

  return (context, given) => {
    const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], given, {
      maxErrors: 50,
    });
    if (errors) return { data: undefined, errors };
    const fields = orError(() => fieldsFor(coerced));
    if (fields instanceof GraphQLError) return { data: undefined, errors: [fields] };
    const run = createRun(context, { variables: coerced, maxLength });
    const waited = write(run, fields);
    return waited ? waited.then(() => finish(run, maxLength)) : finish(run, maxLength);
  };
}

/** Gives back an error that is meant for the client: of what is left out, it is not known whether it is. */
function orError<T>(make: () => T): T | GraphQLError {
  try {
    return make();
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/** Gives a promise only where something has to be waited for. */
function writeTogether(run: Run, fields: readonly CompiledField[]): Promise<void> | undefined {
  try {
    append(run.whole, writeFields(fields, { run, source: undefined, path: undefined, isNullable: false }));
  } catch (error) {
    run.miss(run.whole, error as GraphQLError);
  }
  return run.isIdle() ? undefined : run.idle();
}

/** The fields of a mutation begin one after the other, each when all that is below the one before it is there. */
async function writeInTurn(run: Run, fields: readonly CompiledField[]): Promise<void> {
  append(run.whole, '{');
  for (const [index, { label, write }] of fields.entries()) {
    try {
      append(run.whole, (index === 0 ? '' : ',') + label, write(run, undefined, undefined));
    } catch (error) {
      run.miss(run.whole, error as GraphQLError);
    }
    await run.idle();
    if (run.whole.isNull) return;
  }
  append(run.whole, '}');
}

function finish({ whole, errors, isOverfull }: Run, maxLength: number): Executed {
  if (isOverfull()) return { data: 'null', errors: [tooLarge(maxLength)] };
  const data = textOf(whole);
  return { data, errors: inOrder(errors, data) };
}

const tooLarge = (maxLength: number) =>
  new GraphQLError(
    `The answer is not given: its values have more than ${maxLength} characters. What was changed is changed.`,
    { extensions: { code: 'ANSWER_TOO_LARGE' } },
  );

const fragmentsOf = ({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> =>
  new Map(
    definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
