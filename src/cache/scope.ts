import type { GraphQLError, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Upstream } from '../upstream/index.ts';
import type { Permission } from '../upstream/operation.ts';
import { type Cache, createCache, createQueryCoalescer, type QueryCoalescer } from './cache.ts';
import type { Idempotency } from './idempotency.ts';
import type { ScopeKey } from './scope-key.ts';
import type { CacheStore } from './store.ts';

/** The permissions of callers, if they are limited. */
export interface Permissions {
  /** A name from the configuration. */
  readonly role: string;
  /** Returns the visible schema. `undefined` if no schema is visible. */
  schemaOf(schema: GraphQLSchema): GraphQLSchema | undefined;
  /**
   * Finds the parts of an operation that are not permitted. The variables are not yet coerced.
   * Without variables, finds the parts that no values permit.
   */
  findRefusals(
    operation: object,
    given: Readonly<Record<string, unknown>> | undefined,
  ): readonly GraphQLError[];
  /** Whether they allow to look at a form. */
  mayLookAt(formId: string): boolean;
  /**
   * Returns the platform with a check before each call. Calls that are not permitted fail without
   * being sent.
   */
  guard(upstream: Upstream): Upstream;
  /**
   * Checks a permission, also if the outcome of the change is already known.
   *
   * @throws {UpstreamError} `forbidden`.
   */
  check(operation: string, need: Permission): void;
}

/**
 * The data and permissions of one caller. All data of a caller is reached through the scope, so it
 * cannot reach another caller.
 */
export interface Scope {
  /**
   * The caller's name in metrics and log lines: the name of an API key, or the kind of
   * authentication.
   */
  readonly caller: string;
  /** The upstream with this caller's authorization. */
  readonly upstream: Upstream;
  readonly cache: Cache;
  readonly queries: QueryCoalescer;
  readonly idempotency: Idempotency;
  /** `undefined` if only the platform decides. */
  readonly permissions?: Permissions | undefined;
}

interface ScopeOptions {
  readonly caller: Scope['caller'];
  readonly permissions?: Scope['permissions'];
  readonly upstream: Upstream;
  readonly store: CacheStore;
  /** The idempotency keys of the caller, independent of credentials. */
  readonly idempotency: Idempotency;
}

/** Creates a caller's scope. */
export function createScope(options: ScopeOptions): Scope {
  const { caller, store, idempotency, permissions } = options;
  const partition = store.partition();
  const upstream = permissions?.guard(options.upstream) ?? options.upstream;
  return {
    caller,
    upstream,
    cache: createCache(upstream, store, partition),
    queries: createQueryCoalescer(store, partition),
    idempotency,
    permissions,
  };
}

/** The scopes of recent callers. The requests of one caller share a cache and a token. */
export interface Scopes {
  /** Returns a caller's scope. `undefined` if there is no scope yet. */
  find(key: ScopeKey): Scope | undefined;
  /** Returns the caller's scope. Creates it by `open` if there is no scope yet. */
  get(key: ScopeKey, open: () => Scope): Scope;
  /** Removes a caller's scope and clears its data. */
  delete(key: ScopeKey): void;
}

interface ScopesOptions {
  /** The highest number of scopes. The least recently used is removed first. */
  readonly max: number;
  /**
   * The time without requests after which a scope is removed, in milliseconds. The removal may be
   * late by a tenth, and needs a new caller.
   */
  readonly idleMs: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** Creates the registry of scopes. A scope that ends clears its caller's data. */
export function createScopes(options: ScopesOptions): Scopes {
  const { max, idleMs, now = () => performance.now() } = options;
  const scopes = new LRUCache<ScopeKey, Scope>({
    max,
    ttl: idleMs,
    ttlResolution: 0,
    perf: { now },
    updateAgeOnGet: true,
    dispose: ({ cache }) => cache.clear(),
  });
  let purgedAtMs = now();
  /** Removes idle scopes. It visits all of them, so it runs rarely. */
  const purge = (): void => {
    if (now() - purgedAtMs < idleMs / 10) return;
    scopes.purgeStale();
    purgedAtMs = now();
  };
  return {
    find: (key) => scopes.get(key),
    get(key, open) {
      const known = scopes.get(key);
      if (known !== undefined) return known;
      purge();
      const scope = open();
      scopes.set(key, scope);
      return scope;
    },
    delete: (key) => void scopes.delete(key),
  };
}
