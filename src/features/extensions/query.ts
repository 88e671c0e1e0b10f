import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { Json } from '../../core/json.ts';
import type { Variables } from '../../graphql/admission/arguments.ts';
import { formatProblem } from '../../graphql/admission/documents.ts';
import { isRefused, type SchemaManager } from '../../graphql/apollo-server.ts';
import type { MakeChange, OperationContext } from '../../graphql/context.ts';
import { toClientError } from '../../graphql/errors.ts';
import { withoutPlace } from '../../graphql/executor.ts';
import { checkRun, type PreparedOperation } from '../../graphql/operations.ts';
import { ExtensionError } from './extension.ts';
import { copyJson } from './own-copy.ts';

/** One `resolve` or `batch`, and what it may do. */
export interface Asker {
  readonly operation: OperationContext;
  /** `Type.field`. */
  readonly field: string;
  /** Whether its documents may change the platform. */
  readonly mayChange: boolean;
  /** How many calls it may make besides its needs. */
  readonly calls: number;
  /** How many of them it has taken. */
  taken: number;
}

/** Takes calls before they are made. @throws {ExtensionError} where they are more than the field's `calls`. */
export function takeCalls(asker: Asker, count: number): void {
  const taken = asker.taken + count;
  const excess = `The \`calls\` of ${asker.field} allow ${asker.calls}, and it needs ${taken}; nothing more was called.`;
  if (taken > asker.calls) throw new ExtensionError('COST_EXCEEDED', excess);
  asker.taken = taken;
}

/**
 * Runs a document of an extension as a part of an operation, and gives its data.
 *
 * @throws {DocumentError} for its first error. @throws {Error} for one that may not run.
 */
export type RunDocument = (text: string, variables: object, asker: Asker) => Promise<Json>;

/** The first error of a document, as clients read it. What it was made from may be others' as well, so it is hidden. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly extensions: GraphQLFormattedError['extensions'];
  readonly #error: GraphQLError;

  constructor(error: GraphQLError, { message, extensions }: GraphQLFormattedError) {
    super(message);
    this.extensions = extensions;
    this.#error = error;
  }

  /** Gives what failed, for the field whose resolver lets it through. */
  static causeOf(failure: DocumentError): Error {
    return withoutPlace(failure.#error);
  }
}

/** A document may have own fields whose resolvers run documents. */
const MAX_DEPTH = 3;
const DEPTH = Symbol('how deep a document of an extension is');
type Nested = OperationContext & { readonly [DEPTH]?: number };

/** They open and end the client's own session, and a session's token is for the client alone. */
const SESSION_FIELDS: readonly string[] = ['signIn', 'signOut'];

/** Makes what runs the documents of one extension. */
export const createRunDocument =
  (graph: SchemaManager, file: string): RunDocument =>
  async (text, variables, asker) => {
    const { operation, mayChange } = asker;
    const prepared = await graph.current().admit({ text: String(text) });
    if (isRefused(prepared)) throw new Error(prepared.errors.map(formatProblem).join('\n'));
    checkKind(prepared, mayChange);
    const context = nest(operation, prepared, file);
    // Moments become texts, as in a request, and nobody can change what was given meanwhile.
    const given: Variables = JSON.parse(JSON.stringify(variables));
    const checked = checkRun(prepared, given, context, Number.POSITIVE_INFINITY);
    if (!('errors' in checked)) takeCalls(asker, checked.cost.calls);
    const result = 'errors' in checked ? checked : await prepared.run(context, checked.variables);
    const [error] = result.errors;
    if (error) throw new DocumentError(error, toClientError(error, operation.ids, operation));
    return copyJson(JSON.parse(result.data ?? 'null'));
  };

/** @throws {Error} for an operation that an extension may not run there. */
function checkKind({ kind, selected }: PreparedOperation, mayChange: boolean): void {
  // A query may come from anywhere, be repeated, and run beside others.
  if (kind !== 'query' && !(kind === 'mutation' && mayChange))
    throw new Error('Only fields of Mutation may change the platform.');
  if (selected.selections.some(({ node }) => SESSION_FIELDS.includes(node.name.value)))
    throw new Error('Documents of extensions may not sign in or out.');
}

/** Makes the context of a document within an operation, for whose end it waits. */
function nest(outer: Nested, operation: PreparedOperation, file: string): OperationContext {
  const depth = (outer[DEPTH] ?? 0) + 1;
  if (depth > MAX_DEPTH)
    throw new Error(`Documents of extensions may run within one another ${MAX_DEPTH} times.`);
  const withOrigin =
    (change: MakeChange): MakeChange =>
    (of, args, options) =>
      change(of, args, {
        ...options,
        origin: { way: 'extension', extension: file, ...options?.origin },
      });
  const context: Pick<OperationContext, 'operation' | 'change' | 'changeTogether'> = {
    operation,
    change: withOrigin(outer.change),
    changeTogether: (make) => outer.changeTogether((change) => make(withOrigin(change))),
  };
  return Object.assign(Object.create(outer), context, { [DEPTH]: depth });
}
