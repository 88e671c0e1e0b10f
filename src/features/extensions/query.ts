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

/** One call of a `resolve` or `batch` function, with its limits. */
export interface Asker {
  readonly operation: OperationContext;
  /** `Type.field`. */
  readonly field: string;
  /** Whether its documents may run mutations. */
  readonly mayChange: boolean;
  /** The maximum number of calls besides its needs. */
  readonly calls: number;
  /** The number of calls used so far. */
  taken: number;
}

/**
 * Reserves calls before they are made.
 *
 * @throws {ExtensionError} `COST_EXCEEDED` if the field's `calls` do not suffice.
 */
export function takeCalls(asker: Asker, count: number): void {
  const taken = asker.taken + count;
  const excess = `The \`calls\` of ${asker.field} allow ${asker.calls}, and it needs ${taken}; nothing more was called.`;
  if (taken > asker.calls) throw new ExtensionError('COST_EXCEEDED', excess);
  asker.taken = taken;
}

/**
 * Runs a document of an extension as part of an operation, and returns its data.
 *
 * @throws {DocumentError} for the first error of the document.
 * @throws {Error} for a document that may not run.
 */
export type RunDocument = (text: string, variables: object, asker: Asker) => Promise<Json>;

/**
 * The first error of a document, as clients read it. The original error is private, because other
 * fields may share it.
 */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly extensions: GraphQLFormattedError['extensions'];
  readonly #error: GraphQLError;

  constructor(error: GraphQLError, { message, extensions }: GraphQLFormattedError) {
    super(message);
    this.extensions = extensions;
    this.#error = error;
  }

  /** Returns the original error, for the field whose resolver does not catch this one. */
  static causeOf(failure: DocumentError): Error {
    return withoutPlace(failure.#error);
  }
}

/**
 * The maximum depth of documents: a document may select own fields whose resolvers run documents.
 */
const MAX_DEPTH = 3;
const DEPTH = Symbol('how deep a document of an extension is');
type Nested = OperationContext & { readonly [DEPTH]?: number };

/**
 * These fields open and end the client's own session, and the session's token must reach only the
 * client.
 */
const SESSION_FIELDS: readonly string[] = ['signIn', 'signOut'];

/** Returns the function that runs the documents of one extension. */
export const createRunDocument =
  (graph: SchemaManager, file: string): RunDocument =>
  async (text, variables, asker) => {
    const { operation, mayChange } = asker;
    const prepared = await graph.current().admit({ text: String(text) });
    if (isRefused(prepared)) throw new Error(prepared.errors.map(formatProblem).join('\n'));
    checkKind(prepared, mayChange);
    const context = nest(operation, prepared, file);
    // The copy turns dates into strings, as in a request, and the extension cannot change it while
    // the document runs.
    const given: Variables = JSON.parse(JSON.stringify(variables));
    const checked = checkRun(prepared, given, context, Number.POSITIVE_INFINITY);
    if (!('errors' in checked)) takeCalls(asker, checked.cost.calls);
    const result = 'errors' in checked ? checked : await prepared.run(context, checked.variables);
    const [error] = result.errors;
    if (error) throw new DocumentError(error, toClientError(error, operation.ids, operation));
    return copyJson(JSON.parse(result.data ?? 'null'));
  };

/**
 * Checks that an extension may run this operation here.
 *
 * @throws {Error} otherwise.
 */
function checkKind({ kind, selected }: PreparedOperation, mayChange: boolean): void {
  // A query can run anywhere, be repeated, and run in parallel with others.
  if (kind !== 'query' && !(kind === 'mutation' && mayChange))
    throw new Error('Only fields of Mutation may change the platform.');
  if (selected.selections.some(({ node }) => SESSION_FIELDS.includes(node.name.value)))
    throw new Error('Documents of extensions may not sign in or out.');
}

/**
 * Creates the context of a document within an operation. It inherits everything else from the
 * operation's context: the deadline, the calls, the caller.
 */
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
