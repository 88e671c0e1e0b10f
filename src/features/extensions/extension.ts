/**
 * The package's `caseway/extension`, for modules of `EXTENSIONS`. Plain objects with these members
 * work as well. This file imports nothing.
 */

/** A team's own part of the graph. */
export interface Extension {
  /** SDL with own types, and `extend type` with own fields. Clients see the descriptions. */
  readonly typeDefs?: string;
  /** Resolvers by type and field. Each field that extends a type of the platform needs one. */
  readonly resolvers?: Resolvers;
}

/** Returns the extension unchanged. TypeScript checks its type. */
export const defineExtension = (extension: Extension): Extension => extension;

/**
 * A failure that clients may read: they get its message and code, with the field's path. Any other
 * error of a resolver becomes `EXTENSION_FAILED`. Its message is sent to clients only outside
 * production, and the log contains where it was thrown.
 */
export class ExtensionError extends Error {
  override readonly name = 'ExtensionError';
  /** The `extensions` of the error for clients. */
  readonly extensions: { readonly code: string; readonly retryable: boolean };

  /**
   * @param code in capitals, such as `RATES_UNAVAILABLE`.
   * @param options.retryable whether the same request may succeed later, and is safe to repeat.
   *   Default `false`.
   */
  constructor(
    code: string,
    message: string,
    { retryable = false, cause }: ErrorOptions & { retryable?: boolean } = {},
  ) {
    super(message, { cause });
    this.extensions = { code, retryable };
  }
}

/** A function that resolves a field, or an object with the function and its options. */
export type FieldResolver<Source, Args, Result> =
  | Resolve<Source, Args, Result>
  | (FieldOptions & { readonly resolve: Resolve<Source, Args, Result> })
  | (FieldOptions & { readonly batch: Batch<Source, Args, Result> });

type Resolve<Source, Args, Result> = (
  source: Source,
  args: Args,
  context: Context,
) => Promise<Result> | Result;

/**
 * Returns the values of the field for several objects with equal arguments. The value at each
 * position, or the `Error`, belongs to the source at the same position.
 */
type Batch<Source, Args, Result> = (
  sources: readonly Source[],
  args: Args,
  context: Context,
) => Promise<readonly (Result | Error)[]> | readonly (Result | Error)[];

interface FieldOptions {
  /**
   * A selection on the type, such as `{ amount supplier { name } }`. It defines the members of the
   * source, with the graph's names and JSON values. It costs the same as in a client's query. If a
   * part of it fails, the field fails. Default: `{ id }` if the type has an id. Not allowed for
   * fields of `Mutation` or of an own type.
   */
  readonly needs?: string;
  /**
   * The maximum number of calls that one `resolve` or `batch` may make besides its needs, to the
   * platform and to other services. They count towards `COST_MAX_CALLS`. Further calls fail with
   * `COST_EXCEEDED`. A document counts as its maximum cost. Default 0.
   */
  readonly calls?: number;
}

/**
 * The tools of a resolver. After the operation has ended, `query`, `fetch`, `caller` and `signal`
 * throw.
 */
export interface Context {
  /**
   * Runs a document of the graph as part of the operation, with the caller's permissions, calls and
   * cache. Returns its `data`. Only fields of `Mutation` may run mutations. Documents may select
   * own fields whose resolvers run documents, up to three levels deep.
   *
   * @throws the first error of the document, with the `message` and `extensions.code` that clients
   *   get.
   */
  readonly query: <T = Untyped>(document: string, variables?: object) => Promise<T>;
  /**
   * The caller; `undefined` if it is not known. A response that depends on the caller is never
   * shared.
   */
  readonly caller: { readonly name: string; readonly role?: string | undefined } | undefined;
  /** Aborts when the client disconnects, the deadline passes or the gateway stops. */
  readonly signal: AbortSignal;
  /**
   * Calls another service like the global `fetch`, until the request's deadline. Each call is
   * counted. Of the caller's request, only the trace is passed on. A response may have at most 8 MB
   * and no content encoding. A redirect to another origin keeps only the headers that describe the
   * body.
   */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly log: Readonly<
    Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>
  >;
}

// biome-ignore lint/suspicious/noExplicitAny: the module itself declares the types that it reads.
export type Untyped = any;

type Resolvers = Readonly<
  Record<string, Readonly<Record<string, FieldResolver<Untyped, Untyped, Untyped>>>>
>;
