import { hasNotHappened } from '../cache/idempotency.ts';
import type { Scope } from '../cache/scope.ts';
import { toAbortError } from '../core/abort.ts';
import { UpstreamError } from '../core/errors.ts';
import type { ChangeOrigin, ClientName, Observers, RequestIds } from '../core/observers.ts';
import type { Tag, Work } from '../core/work.ts';
import { Loaders } from '../loaders/index.ts';
import type { Claim } from '../upstream/call.ts';
import type { Dialect } from '../upstream/dialect.ts';
import type { Audited, Change } from '../upstream/operation.ts';

/** A field's resolver, as codegen types it: GraphQL's `info` is made for nobody. */
export type Resolver<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
) => PromiseLike<TResult> | TResult;

/** The explanation that a request wants besides its answer, or instead of it: the calls that it made, or a plan of those it would make. */
export type Explain = 'calls' | 'plan';

/** The members that inputs of mutations have in common. */
export interface ChangeInput {
  readonly idempotencyKey?: string | null | undefined;
  /** The values that the instance must have before the change. */
  readonly expected?: object | null | undefined;
}

/** The authenticated caller. */
export interface Viewer {
  readonly name: string;
  /** `undefined` where the session does not tell. */
  readonly since?: Date | undefined;
  /** When the session ends; `undefined` when no end is known. */
  readonly until?: Date | undefined;
  /** Those of the caller's token. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** A user name and its password, on their way to the platform. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** The result of signing in. */
export interface SignedIn {
  readonly viewer: Viewer;
  /** For callers that are no browser; a browser has a cookie instead. */
  readonly sessionToken: string | undefined;
  readonly expiresAt: Date;
}

/** The session of a caller, as an operation may know and change it. */
export interface Session {
  /** `undefined` for an anonymous caller, or where the gateway cannot know who is calling. */
  readonly viewer: Viewer | undefined;
  /**
   * Signs in with the caller's own credentials at the platform.
   *
   * @throws {InputError} where callers do not sign in here, and for credentials that the platform refuses.
   */
  signIn(login: Login): Promise<SignedIn>;
  /** Ends the caller's session, if there is one. */
  signOut(): Promise<void>;
}

/** The context that the resolvers of one operation share. */
export interface OperationContext {
  readonly ids: RequestIds;
  readonly client: ClientName;
  /** By the steady clock, in milliseconds. */
  readonly startedAtMs: number;
  readonly work: Work;
  /** Without the platform, which `loaders` read and `change` changes. */
  readonly scope: Pick<Scope, 'caller' | 'rights' | 'queries'>;
  /** The only way to read. */
  readonly loaders: Loaders;
  /** Creates loaders whose records the platform confirms now, whatever is cached. */
  latest(): Pick<Loaders, 'load'>;
  readonly dialect: Dialect;
  /** The caller's session. What reads its viewer marks `work` as personal: several callers may have one scope. */
  readonly session: Session;
  readonly explain: Explain | undefined;
  /** The kind of the operation; `undefined` until it was found valid and within its limits. */
  operation: { readonly kind: string; readonly name: string | undefined } | undefined;
  /** Whether it makes a change with an idempotency key. */
  isKeyed: boolean;
  /** How many changes it has made, or may have, and how many of these had no idempotency key: repeating it would make them again. */
  changes: number;
  unkeyedChanges: number;
  /** The errors of fields of `Mutation` that made changes before they failed, as only a team's own may. */
  readonly failedAfterChange: WeakSet<Error>;
  /** Whether its answer is made, after which its context must not be used. */
  isEnded: boolean;
  /**
   * Makes one change; there is no other way to make one. What it may have altered is invalidated, whatever the outcome, so
   * that what follows sees its effect. One with an idempotency key happens once for it.
   */
  change: MakeChange;
  /** Makes several changes that invalidate together, once all of them have ended. */
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
  /** Sends it, and gives what its resolver gets. */
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
  extends Pick<OperationContext, 'ids' | 'client' | 'work' | 'session'>,
    Partial<Pick<OperationContext, 'explain'>> {
  readonly scope: Scope;
  /** Of all its changes. */
  readonly origin?: ChangeOrigin | undefined;
  readonly observers: Pick<Observers, 'change'>;
}

/** Makes the context of one operation. */
export function createContext(options: ContextOptions): OperationContext {
  const { ids, client, work, scope, session, explain, observers } = options;
  const loaders = new Loaders(scope, work);

  const changeOnce: MakeChange = async (
    of,
    args,
    { idempotencyKey: key, check, origin, around = sendNow } = {},
  ) => {
    const { rights, upstream } = scope;
    const { name: operation } = of;
    rights?.check(operation, of.needs(args));
    // A change that has begun is finished; one whose request was aborted does not begin.
    if (work.signal.aborted) throw toAbortError(operation, work.signal);
    // From its first byte on, since an answer may be made before it ends.
    let counted = 0;
    const count = (now: 0 | 1): void => {
      context.changes += now - counted;
      if (key == null) context.unkeyedChanges += now - counted;
      counted = now;
    };
    const run = async (claim?: Claim) => {
      work.reserveCall(operation);
      // It begins before a bulk write's item waits for its turn, so that the reads of all items are one list call.
      const checked = check?.run().catch(throwUnsent);
      checked?.catch(() => undefined);
      const about = { ids, role: rights?.role, operation, input: args, key: key ?? undefined };
      const names = namesOf(context, context.operation?.name);
      const outgoing = { ...about, ...names, ...options.origin, ...origin };
      return observers.change(outgoing, (tellSending) => {
        const beforeSend = (attempt: number) => {
          claim?.check();
          tellSending(attempt);
          count(1);
        };
        return around(async () => {
          await checked;
          return upstream.change(of, args, { work, claim, beforeSend });
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
        const tags = of.changes(args);
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
    work,
    scope,
    loaders,
    latest: () => new Loaders(scope, work, true),
    dialect: scope.upstream.lists.dialect(),
    session,
    explain,
    operation: undefined,
    isKeyed: false,
    changes: 0,
    unkeyedChanges: 0,
    failedAfterChange: new WeakSet(),
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

/** An operation's name is the client's to choose, so only this much of it is kept. */
const MAX_NAME_LENGTH = 100;
const MAX_SUBJECT_LENGTH = 200;

/** The name of an operation, and of those who ask for it. */
export const namesOf = (
  { client, scope, session }: OperationContext,
  name: string | undefined,
) => ({
  name: name?.slice(0, MAX_NAME_LENGTH),
  client,
  ...callerOf(scope, session),
});

/** The name of a caller in figures, and who it is. */
export const callerOf = (
  { caller }: OperationContext['scope'],
  { viewer }: OperationContext['session'],
) => ({
  caller,
  subject: viewer?.name.slice(0, MAX_SUBJECT_LENGTH),
});
