import { expect } from 'vitest';

import type { ReadPlatform } from '../../../src/cache/cache.ts';
import { createIdempotencyStore } from '../../../src/cache/idempotency.ts';
import { createScope, type Scope } from '../../../src/cache/scope.ts';
import { scopeKey } from '../../../src/cache/scope-key.ts';
import { type CacheLifetimes, CacheStore } from '../../../src/cache/store.ts';
import { RequestState } from '../../../src/core/request-state.ts';
import type { Upstream } from '../../../src/upstream/index.ts';
import { OPERATIONS } from '../../../src/upstream/operations.ts';
import type { InstanceKey, RuleKey } from '../../../src/upstream/records.ts';
import type { ListQuery } from '../../../src/upstream/search.ts';
import { dialectOf, openPlatform, type Received, type Reply } from '../../upstream/support/open.ts';

/** Creates the scope of a caller, in a new store unless one is passed. */
export function openScope(upstream: Upstream, store: CacheStore = new CacheStore()): Scope {
  const idempotency = createIdempotencyStore().forCaller(scopeKey('test'));
  return createScope({ caller: 'none', upstream, store, idempotency });
}

/** Short functions for the usual reads. */
export type Reads = ReturnType<typeof toReads>;

export const toReads = (read: ReadPlatform) => ({
  form: (formId: string) => read(OPERATIONS.getForm, { formId }),
  forms: (query: ListQuery) => read(OPERATIONS.getForms, query),
  instance: (key: InstanceKey) => read(OPERATIONS.getFormIntance, key),
  instances: (formId: string, query: ListQuery) =>
    read(OPERATIONS.getFormIntances, { formId, ...query }),
  rule: (key: RuleKey) => read(OPERATIONS.getParameters, key),
});

/**
 * A cache and a platform that share one clock, which only the test moves. The platform responds
 * with the same body to each read, and with 304 to a conditional one.
 */
export async function openTimed(
  lifetimes: Partial<CacheLifetimes> = {},
  { dialect = dialectOf(), body = BODY } = {},
) {
  let nowMs = Date.UTC(2026, 0, 1);
  const failing: Reply[] = [];
  const answer = (received: Received): Reply => {
    const failure = failing.shift();
    if (failure !== undefined) return failure;
    const headers = {
      date: new Date(nowMs).toUTCString(),
      'last-modified': new Date(0).toUTCString(),
    };
    const isConditional = 'if-modified-since' in received.headers;
    return isConditional ? { status: 304, headers } : { status: 200, headers, body };
  };

  const { upstream, requests } = await openPlatform(answer, { dialect });
  const now = () => nowMs;
  const store = new CacheStore({ ...lifetimes, now });
  const { cache } = openScope(upstream, store);
  const conditions = () => requests.map(({ headers }) => 'if-modified-since' in headers);
  const begin = () => {
    const requestState = new RequestState({ now });
    return { requestState, ...toReads(cache.reads(requestState)) };
  };

  return {
    cache,
    store,
    requests,
    /** For each call, whether it was conditional. */
    conditions,
    /** Begins an operation. */
    begin,
    /** Runs reads as one operation, and gives its work. */
    async run<T>(read: (reads: Reads) => Promise<T>) {
      const { requestState, ...reads } = begin();
      return { got: await read(reads), requestState };
    },
    pass(ms: number) {
      nowMs += ms;
    },
    /**
     * Sets the next responses. A failing platform states a long wait, so that no read is retried.
     */
    failNext(...replies: readonly Reply[]) {
      const headers = { 'retry-after': '60' };
      failing.push(
        ...replies.map((reply) => (reply.status >= 500 ? { ...reply, headers } : reply)),
      );
    },
  };
}

/**
 * A cache whose every read is a separate operation, and a platform that responds when the test lets
 * it.
 */
export async function openSlow(lifetimes: Partial<CacheLifetimes> = {}) {
  const answers: (() => void)[] = [];
  const { upstream, requests } = await openPlatform(async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answers.push(resolve);
    await promise;
    return { status: 200, body: BODY, headers: { 'last-modified': new Date(0).toUTCString() } };
  });
  const { cache } = openScope(upstream, new CacheStore(lifetimes));
  const begin = (requestState = new RequestState()) => toReads(cache.reads(requestState));
  const arrived = (count: number) => expect.poll(() => requests.length).toBe(count);
  return { cache, begin, requests, arrived, answer: (index: number) => answers[index]?.() };
}

export const BODY = { items: [], values: {}, fields: [], name: 'old' };
export const PAGE = { where: [], orderBy: [], pageNumber: 1, perPage: 10 };
export const KEY = { formId: 'a', instanceId: '1' };
