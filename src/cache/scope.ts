import type { GraphQLError, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Upstream } from '../upstream/index.ts';
import type { Need } from '../upstream/operation.ts';
import { type Cache, createCache, createRunningQueries, type RunningQueries } from './cache.ts';
import type { Idempotency } from './idempotency.ts';
import type { ScopeKey } from './scope-key.ts';
import type { CacheStore } from './store.ts';

/** The changes and calls that callers may make, where these are not all. */
export interface Rights {
  /** A name of the configuration. */
  readonly role: string;
  /** Gives the schema as they may see it; `undefined` where they may not. */
  schemaOf(schema: GraphQLSchema): GraphQLSchema | undefined;
  /** Finds what they do not allow in an operation, by values of variables that are not coerced yet; without them, whatever they are. */
  findRefusals(
    operation: object,
    given: Readonly<Record<string, unknown>> | undefined,
  ): readonly GraphQLError[];
  /** Whether they allow to look at a form. */
  mayLookAt(formId: string): boolean;
  /** Gives the platform with the calls that they allow; others fail and are not sent. */
  guard(upstream: Upstream): Upstream;
  /** @throws {UpstreamError} `forbidden` for what they do not allow, also where the outcome of a change is known already. */
  check(operation: string, need: Need): void;
}

/** The data and the rights of one caller. All of the caller's data belongs to it, so that none can reach another caller. */
export interface Scope {
  /** The caller in figures and log lines: the name of an API key, else how callers are authenticated. */
  readonly caller: string;
  /** The upstream, authorized as this caller. */
  readonly upstream: Upstream;
  readonly cache: Cache;
  readonly queries: RunningQueries;
  readonly idempotency: Idempotency;
  /** `undefined` where the platform alone decides. */
  readonly rights?: Rights | undefined;
}

interface ScopeOptions extends Pick<Scope, 'caller' | 'rights'> {
  readonly upstream: Upstream;
  readonly store: CacheStore;
  /** Of the caller, whatever credentials they come with. */
  readonly idempotency: Idempotency;
}

/** Makes a caller's scope. */
export function createScope({ upstream: platform, store, rights, ...own }: ScopeOptions): Scope {
  const partition = store.partition();
  const upstream = rights?.guard(platform) ?? platform;
  return {
    ...own,
    upstream,
    cache: createCache(upstream, store, partition),
    queries: createRunningQueries(store, partition),
    rights,
  };
}

/** The scopes of the callers who were here lately, so that one caller's requests share a cache and a token. */
export type Scopes = ReturnType<typeof createScopes>;

interface ScopesOptions {
  /** How many callers are kept; the one who was away longest goes first. */
  readonly max: number;
  /** How long a caller may be away, in milliseconds. Who is away longer goes with a new caller, at most a tenth of it later. */
  readonly idleMs: number;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
}

/** Creates the registry of scopes. A scope that ends clears its caller's data. */
export function createScopes({ max, idleMs, now = () => performance.now() }: ScopesOptions) {
  const scopes = new LRUCache<ScopeKey, Scope>({
    max,
    ttl: idleMs,
    ttlResolution: 0,
    perf: { now },
    updateAgeOnGet: true,
    dispose: ({ cache }) => cache.clear(),
  });
  let purgedAtMs = now();
  /** Removes idle callers. It looks at each caller, so it does so once in a while. */
  const purge = (): void => {
    if (now() - purgedAtMs < idleMs / 10) return;
    scopes.purgeStale();
    purgedAtMs = now();
  };
  return {
    /** `undefined` for a caller who has none yet. */
    find: (key: ScopeKey) => scopes.get(key),
    /** Gives the caller's scope, created by `open` if missing. */
    get(key: ScopeKey, open: () => Scope): Scope {
      const known = scopes.get(key);
      if (known !== undefined) return known;
      purge();
      const scope = open();
      scopes.set(key, scope);
      return scope;
    },
    delete: (key: ScopeKey) => void scopes.delete(key),
  };
}
