import { describe, expect, it } from 'vitest';
import { createResponseCache } from '../../src/cache/response-cache.ts';
import { CacheStore, TAGS } from '../../src/cache/store.ts';
import { Work } from '../../src/core/work.ts';

interface Made {
  /** For how long what the answer was made of is fresh. */
  readonly forMs?: number;
  readonly isWhole?: boolean;
  readonly uncacheable?: boolean;
  readonly wait?: Promise<unknown>;
  readonly caller?: string;
}

/** The response cache of one caller, whose answers are numbered by when they were made. */
function openResponses(maxBytes?: number) {
  const state = { nowMs: 1_000, made: 0 };
  const store = new CacheStore({ now: () => state.nowMs, ...(maxBytes !== undefined && { maxBytes }) });
  const partition = store.partition();
  const responses = createResponseCache(store, partition);
  const run = async (query: string, made: Made = {}) => {
    const { forMs = 1_000, isWhole = true, uncacheable = false, wait, caller } = made;
    const work = new Work({ caller });
    const result = await responses.get(query, work, async () => {
      const text = `answer ${++state.made}`;
      await wait;
      work.uncacheable = uncacheable;
      work.dependOn({ expiresAtMs: state.nowMs + forMs, tags: TAGS.lists('a') });
      return { text, errors: isWhole ? [] : [new Error('a field failed')] };
    });
    return { body: result.text, work };
  };
  const bodies = async (...queries: readonly string[]) => {
    const found: unknown[] = [];
    for (const query of queries) found.push((await run(query)).body);
    return found;
  };
  return { run, bodies, state, store, partition };
}

describe('a cached response', () => {
  it('is served until the first of its dependencies expires', async () => {
    const { bodies, state } = openResponses();
    const fresh = await bodies('q', 'q');
    state.nowMs += 999;
    fresh.push(...(await bodies('q')));
    state.nowMs += 1;

    expect([...fresh, ...(await bodies('q'))]).toEqual(['answer 1', 'answer 1', 'answer 1', 'answer 2']);
  });

  it('has the same expiry whether it was computed or served from the cache', async () => {
    const { run } = openResponses();

    const [first, second] = [await run('q'), await run('q')];

    expect(second.work).toMatchObject({ expiresAtMs: first.work.expiresAtMs, tags: first.work.tags, fresh: 1 });
  });

  it.each<[string, Made]>([
    ['is incomplete', { isWhole: false }],
    ['depends on the caller, or has a stale part', { uncacheable: true }],
    ['depends on data that must be revalidated each time', { forMs: 0 }],
  ])('is not stored when it %s', async (_what, made) => {
    const { run } = openResponses();

    expect([(await run('q', made)).body, (await run('q', made)).body]).toEqual(['answer 1', 'answer 2']);
  });

  it('is not served after its caller was cleared', async () => {
    const { bodies, partition } = openResponses();
    await bodies('q');

    partition.clear();

    expect(await bodies('q')).toEqual(['answer 2']);
  });

  it('is evicted for space, least recently used first', async () => {
    const { bodies, state } = openResponses(10_000);
    await bodies('a', 'b', 'c', 'd', 'e');

    await bodies('e', 'a');

    expect(state.made).toBe(6);
  });
});

describe('equal queries in flight', () => {
  it('run separately for callers who have the cache in common, since each waits for connections of their own', async () => {
    const { run } = openResponses();
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = run('q', { wait: promise, caller: 'ann' });

    const other = await run('q', { caller: 'bob' });
    resolve();

    expect([(await first).body, other.body]).toEqual(['answer 1', 'answer 2']);
    expect((await run('q', { caller: 'cat' })).body).toBe('answer 1');
  });

  it('run separately when the first response is incomplete', async () => {
    const { run } = openResponses();
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = [run('q', { wait: promise, isWhole: false }), run('q')];

    resolve();

    expect((await Promise.all(all)).map(({ body }) => body)).toEqual(['answer 1', 'answer 2']);
  });
});
