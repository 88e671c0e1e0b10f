import { hasNotHappened } from '../cache/idempotency.ts';
import type { Scope } from '../cache/scope.ts';
import { toAbortError } from '../core/abort.ts';
import { UpstreamError } from '../core/errors.ts';
import type { ChangeOrigin, ClientName, Observers, RequestIds } from '../core/observers.ts';
import type { RequestState, Tag } from '../core/request-state.ts';
import { Loaders } from '../loaders/index.ts';
import type { Lease } from '../upstream/call.ts';
import type { Dialect } from '../upstream/dialect.ts';
import type { Audited, Change } from '../upstream/operation.ts';

/** A field's resolver, for codegen. It gets no `info`, because the executor does not create one. */
export type Resolver<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
) => PromiseLike<TResult> | TResult;

/**
 * The explanation that a request wants: the calls that it made, in addition to its data, or a plan
 * of the calls instead of data.
 */
export type Explain = 'calls' | 'plan';

/** The common members of mutation inputs. */
export interface ChangeInput {
  readonly idempotencyKey?: string | null | undefined;
  /** The values that the instance must have before the change. */
  readonly expected?: object | null | undefined;
}

/** The authenticated caller. */
export interface Viewer {
  readonly name: string;
  /** When the caller signed in. `undefined` if unknown. */
  readonly since?: Date | undefined;
  /** When the session ends. `undefined` if unknown. */
  readonly until?: Date | undefined;
  /** The claims of the caller's token. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** The credentials of a user for the platform. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** The result of signing in. */
export interface SignedIn {
  readonly viewer: Viewer;
  /** For clients other than browsers. A browser gets a cookie instead. */
  readonly sessionToken: string | undefined;
  readonly expiresAt: Date;
}

/** The caller's session for one operation. */
export interface Session {
  /** `undefined` for an anonymous caller, or if the gateway cannot identify the caller. */
  readonly viewer: Viewer | undefined;
  /**
   * Signs in at the platform with the user's credentials.
   *
   * @throws {InputError} if the gateway has no sign-in, or if the platform refuses the
   *   credentials.
   */
  signIn(login: Login): Promise<SignedIn>;
  /** Ends the caller's session, if there is one. */
  signOut(): Promise<void>;
}

/** The context that the resolvers of one operation share. */
export interface OperationContext {
  readonly ids: RequestIds;
  readonly client: ClientName;
  /** Milliseconds of `performance.now()`. */
  readonly startedAtMs: number;
  readonly requestState: RequestState;
  /** The scope without the platform. Use `loaders` to read and `change` to write. */
  readonly scope: Pick<Scope, 'caller' | 'permissions' | 'queries'>;
  /** The only way to read. */
  readonly loaders: Loaders;
  /** Creates loaders whose records the platform confirms now, whatever is cached. */
  latest(): Pick<Loaders, 'load'>;
  readonly dialect: Dialect;
  /**
   * The caller's session. Call `work.markPersonal()` when you read its viewer, because several
   * callers may share one scope.
   */
  readonly session: Session;
  readonly explain: Explain | undefined;
  /** Whether its document is a trusted one, whose names the operator chose. */
  readonly isFromOperator: boolean;
  /** `undefined` until the operation is valid and within its limits. */
  operation: { readonly kind: string; readonly name: string | undefined } | undefined;
  /** Whether it makes a change with an idempotency key. */
  isKeyed: boolean;
  /**
   * The number of changes that were made, or may have been made. `unkeyedChanges` counts the ones
   * without idempotency key: a retry would repeat them.
   */
  changes: number;
  unkeyedChanges: number;
  /**
   * Errors of mutations that made a change before they failed. Only a team's own mutations can
   * cause these.
   */
  readonly failedAfterChange: Set<Error>;
  /** Whether the response is written. The context must not be used after that. */
  isEnded: boolean;
  /**
   * Sends one change. This is the only way to write. After any outcome the affected cache tags are
   * invalidated, so later reads see the effect. A change with an idempotency key runs once per key.
   */
  change: MakeChange;
  /** Sends several changes. Their tags are invalidated together after all of them have ended. */
  changeTogether<T>(make: (change: MakeChange) => Promise<T>): Promise<T>;
}

export type MakeChange = <A extends Audited<A>, T>(
  of: Change<A, T>,
  args: A,
  options?: ChangeOptions,
) => Promise<T>;

interface ChangeOptions extends Pick<ChangeInput, 'idempotencyKey'> {
  /** What the client expects before the change. */
  readonly check?: ChangeCheck | undefined;
  readonly origin?: ChangeOrigin;
  /** Wraps the sending of the change. Returns the value for the resolver. */
  readonly around?: <T>(send: () => Promise<T>) => Promise<T>;
}

/** A check that comes before a change, unless the outcome of its key is known. */
export interface ChangeCheck {
  /** The client's input. Another one is another mutation to an idempotency key. */
  readonly input: unknown;
  /** @throws {ConflictError} if the change must not be sent, and any failure of the read. */
  run(): Promise<void>;
}

/** The request and the caller that an operation runs for. */
interface ContextOptions
  extends Pick<OperationContext, 'ids' | 'client' | 'requestState' | 'session'> {
  readonly explain?: OperationContext['explain'];
  /** Default: `false`. */
  readonly isFromOperator?: boolean;
  readonly scope: Scope;
  /** The origin of all its changes. */
  readonly origin?: ChangeOrigin | undefined;
  readonly observers: Pick<Observers, 'change'>;
}

/** Creates the context of one operation. */
export function createContext(options: ContextOptions): OperationContext {
  const { ids, client, requestState, scope, session, explain, observers } = options;
  const { isFromOperator = false } = options;
  const loaders = new Loaders(scope, requestState);

  const changeOnce: MakeChange = async (
    of,
    args,
    { idempotencyKey: key, check, origin, around = sendNow } = {},
  ) => {
    const { permissions, upstream } = scope;
    const { name: operation } = of;
    permissions?.check(operation, of.needs(args));
    // A change is completed once it has begun. An aborted request does not begin one.
    if (requestState.signal.aborted) throw toAbortError(operation, requestState.signal);
    // Count from the first byte on, because the response may be written before the change ends.
    let counted = 0;
    const count = (now: 0 | 1): void => {
      context.changes += now - counted;
      if (key == null) context.unkeyedChanges += now - counted;
      counted = now;
    };
    const run = async (lease?: Lease) => {
      requestState.reserveCall(operation);
      // It begins before a bulk write's item waits for its turn, so that the reads of all items are one list call.
      const checked = check?.run().catch(throwUnsent);
      checked?.catch(() => undefined);
      const about = { ids, role: permissions?.role, operation, input: args, key: key ?? undefined };
      const names = namesOf(context, context.operation?.name);
      const outgoing = { ...about, ...names, ...options.origin, ...origin };
      return observers.change(outgoing, (tellSending) => {
        const beforeSend = (attempt: number) => {
          lease?.check();
          tellSending(attempt);
          count(1);
        };
        return around(async () => {
          await checked;
          return upstream.change(of, args, { requestState, lease, beforeSend });
        });
      });
    };
    context.isKeyed ||= key != null;
    const keyedInput = check ? { ...args, expected: check.input } : args;
    try {
      const outcome = await (key == null
        ? run()
        : scope.idempotency.run({ operation, key, input: keyedInput }, run));
      count(1);
      return outcome;
    } catch (error) {
      count(hasNotHappened(error) ? 0 : 1);
      throw error;
    }
  };
  const changeTogether = async <T>(make: (change: MakeChange) => Promise<T>): Promise<T> => {
    const changed = new Set<Tag>();
    let isEverything = false;
    try {
      return await make((of, args, how) => {
        const tags = of.invalidates(args);
        if (tags === 'everything') isEverything = true;
        else for (const tag of tags) changed.add(tag);
        return changeOnce(of, args, how);
      });
    } finally {
      loaders.clear();
      if (isEverything || changed.size > 0)
        scope.cache.invalidate(isEverything ? 'everything' : [...changed]);
    }
  };

  const context: OperationContext = {
    ids,
    client,
    startedAtMs: performance.now(),
    requestState,
    scope,
    loaders,
    latest: () => new Loaders(scope, requestState, true),
    dialect: scope.upstream.lists.dialect(),
    session,
    explain,
    isFromOperator,
    operation: undefined,
    isKeyed: false,
    changes: 0,
    unkeyedChanges: 0,
    failedAfterChange: new Set(),
    isEnded: false,
    change: (of, args, how) => changeTogether((change) => change(of, args, how)),
    changeTogether,
  };
  return context;
}

/** A change whose check failed has had no effect. */
function throwUnsent(error: unknown): never {
  throw error instanceof UpstreamError ? error.asUnsent() : error;
}

const sendNow = <T>(send: () => Promise<T>): Promise<T> => send();

/** The highest number of characters of an operation's name. Clients choose the name. */
const MAX_NAME_LENGTH = 100;
const MAX_SUBJECT_LENGTH = 200;

/** Returns the names of an operation, its client and its caller. */
export const namesOf = (
  { client, scope, session }: OperationContext,
  name: string | undefined,
) => ({
  name: name?.slice(0, MAX_NAME_LENGTH),
  client,
  ...callerOf(scope, session),
});

/** Returns the caller's name for metrics, and the signed-in user. */
export const callerOf = (
  { caller }: OperationContext['scope'],
  { viewer }: OperationContext['session'],
) => ({
  caller,
  subject: viewer?.name.slice(0, MAX_SUBJECT_LENGTH),
});
