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
  /** Other services, by the name that they have in `context.services`. */
  readonly services?: Readonly<Record<string, ServiceOptions>>;
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

type Resolve<Source, Args, Result> = (source: Source, args: Args, context: Context) => Promise<Result> | Result;

/**
 * Gives the field's values for all objects that need it with equal arguments at one time: the value at each position, or an
 * `Error`, is that of the source there.
 */
type Batch<Source, Args, Result> = (
  sources: readonly Source[],
  args: Args,
  context: Context,
) => Promise<readonly (Result | Error)[]> | readonly (Result | Error)[];

interface FieldOptions {
  /**
   * How many calls one `resolve`, or one `batch`, makes at most, to the platform and to other services; they count into
   * `COST_MAX_CALLS`. Default 0.
   */
  readonly calls?: number;
}

/** The context of one operation's resolvers. It serves while the operation runs; then its handles throw. */
export interface Context {
  /**
   * The platform as the caller sees it: `query` and `mutation` have the fields of the graph as functions of their arguments;
   * `mutation` only for resolvers of mutations.
   */
  readonly platform: { readonly query: Untyped; readonly mutation: Untyped };
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
  /** The extension's `services`. */
  readonly services: Untyped;
  readonly log: Readonly<Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>>;
}

/** Another service. */
export interface ServiceOptions {
  /** The address that the paths of calls begin with. */
  readonly url: string;
  /** Sent with each call; this is where an API key goes. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of one call, waiting for others included. Default 5000. */
  readonly timeoutMs?: number;
  /** How many calls are in flight at most, for all requests together. Default 16. */
  readonly concurrency?: number;
  /** The `extensions.code` for clients when a call fails. Default `SERVICE_UNAVAILABLE`. */
  readonly errorCode?: string;
}

/** Each fails with the service's error code for a status that is no success, no answer in time, or one that cannot be read. */
export interface Service {
  /** Gives a JSON answer. */
  json<T = Untyped>(path: string, init?: RequestInit): Promise<T>;
  /** Gives the `data` of a GraphQL answer; one with errors fails. */
  graphql<T = Untyped>(query: string, variables?: object): Promise<T>;
}

// biome-ignore lint/suspicious/noExplicitAny: a module says itself what it reads.
export type Untyped = any;

type Resolvers = Readonly<Record<string, Readonly<Record<string, FieldResolver<Untyped, Untyped, Untyped>>>>>;
