import { expect } from 'vitest';

import { type CacheLifetimes, CacheStore } from '../../../src/cache/store.ts';
import { RequestState } from '../../../src/core/request-state.ts';
import type { Received, Reply } from '../../upstream/support/http-server.ts';
import { dialectOf, openPlatform } from '../../upstream/support/open.ts';
import { type Reads, toReads } from '../../upstream/support/operations.ts';
import { openScope } from './open-scope.ts';

const START_MS = Date.UTC(2026, 0, 1);

/** The content that a platform holds at one address. */
interface Shown {
  readonly body: unknown;
  readonly modifiedAtMs: number;
}

/**
 * A cache and a platform that share one clock, which only the test moves. The platform responds
 * with the content that was last stored at the address. As in HTTP, times have whole seconds, and
 * an unchanged address gets a 304.
 */
export async function openTimed(lifetimes: Partial<CacheLifetimes> = {}, dialect = dialectOf()) {
  let nowMs = START_MS;
  const shown = new Map<string, Shown>();
  const failing: Reply[] = [];
  const toSecond = (ms: number) => Math.floor(ms / 1000) * 1000;

  const answer = (received: Received): Reply => {
    const failure = failing.shift();
    if (failure !== undefined) return failure;
    const { body, modifiedAtMs } = shown.get(received.target.split('?')[0] ?? '') ?? {
      body: BODY,
      modifiedAtMs: 0,
    };
    const headers = {
      date: new Date(nowMs).toUTCString(),
      'last-modified': new Date(toSecond(modifiedAtMs)).toUTCString(),
    };
    const [since] = received.headers['if-modified-since'] ?? [];
    const isSame = since !== undefined && toSecond(modifiedAtMs) <= Date.parse(since);
    return isSame ? { status: 304, headers } : { status: 200, headers, body };
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
    /** Changes a resource directly on the platform, without the gateway. */
    put(path: string, body: unknown) {
      shown.set(`/v1.0${path}`, { body, modifiedAtMs: nowMs });
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
