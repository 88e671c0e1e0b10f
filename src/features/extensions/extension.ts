/**
 * The package's `caseway/extension`: what a module of `EXTENSIONS` imports. Plain objects with these members work as well; this
 * file imports nothing.
 */

/** The team's own part of the graph. */
export interface Extension {
  /** SDL: own types, and `extend type` with own fields. Descriptions are shown to clients. */
  readonly typeDefs?: string;
  /** By type, then by field. Every own field of a type of the platform has one. */
  readonly resolvers?: Resolvers;
}

/** Gives the extension back, checked by TypeScript. */
export const defineExtension = (extension: Extension): Extension => extension;

/**
 * A failure that clients may read: its message and code reach them, with the field's path. Everything else that a resolver
 * throws is `EXTENSION_FAILED`; clients read its message outside production only, and the log has where it arose.
 */
export class ExtensionError extends Error {
  override readonly name = 'ExtensionError';
  /** The `extensions` of the error for clients. */
  readonly extensions: { readonly code: string; readonly retryable: boolean };

  /**
   * @param code in capitals, such as `RATES_UNAVAILABLE`.
   * @param options.retryable whether the same request may succeed later, and does no harm when sent again. Default `false`.
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

/** How an own field gets its value. */
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
 * Gives the field's values for all objects of which it is selected with equal arguments at one time: the value at each position, or
 * an `Error`, is that of the source there.
 */
type Batch<Source, Args, Result> = (
  sources: readonly Source[],
  args: Args,
  context: Context,
) => Promise<readonly (Result | Error)[]> | readonly (Result | Error)[];

interface FieldOptions {
  /**
   * A selection on the type, such as `{ amount supplier { name } }`: what the source holds, in the graph's names and as JSON has it.
   * It costs what it would cost a client, and what fails in it fails the field. Default: `{ id }`, where the type has one. A field of
   * `Mutation` or of an own type has none.
   */
  readonly needs?: string;
  /**
   * How many calls one `resolve`, or one `batch`, may make besides its needs, to the platform and to other services. They count into
   * `COST_MAX_CALLS`; more fail with `COST_EXCEEDED`. A document counts as what it may cost at most. Default 0.
   */
  readonly calls?: number;
}

/** What a resolver may use. It serves while its operation runs; then `query`, `fetch`, `caller` and `signal` throw. */
export interface Context {
  /**
   * Runs a document of the graph as a part of the operation, with the caller's rights, calls and cache, and gives its `data`.
   * Mutations are for the fields of `Mutation`. Own fields may run documents in turn, three deep at most.
   *
   * @throws the first error of the document, with `message` and `extensions.code` as clients get them.
   */
  readonly query: <T = Untyped>(document: string, variables?: object) => Promise<T>;
  /** Who calls; `undefined` where that is not known. A response that depends on it is never shared. */
  readonly caller: { readonly name: string; readonly role?: string | undefined } | undefined;
  /** Aborts when the client has disconnected, the deadline has passed or the gateway stops. */
  readonly signal: AbortSignal;
  /**
   * Calls another service as the global `fetch` does, but until the request's deadline, and counted. Nothing of the caller's
   * request is passed on but its trace. An answer has 8 MB at most and no content encoding; a redirect to another origin gets
   * no headers but those that describe the body.
   */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly log: Readonly<
    Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>
  >;
}

// biome-ignore lint/suspicious/noExplicitAny: a module says itself what it reads.
export type Untyped = any;

type Resolvers = Readonly<
  Record<string, Readonly<Record<string, FieldResolver<Untyped, Untyped, Untyped>>>>
>;
