import { describe, expect, it } from 'vitest';
import { createRunningQueries } from '../../src/cache/cache.ts';
import { CacheStore } from '../../src/cache/store.ts';
import { Work } from '../../src/core/work.ts';
import { TAGS } from '../../src/upstream/resources/instances.ts';

interface Made {
  /** For how long what the answer was made of is fresh. */
  readonly forMs?: number;
  readonly isWhole?: boolean;
  readonly uncacheable?: boolean;
  readonly wait?: Promise<unknown>;
  readonly caller?: string;
}

/** The running queries of one caller, whose answers are numbered by when they were made. */
function openQueries() {
  const state = { nowMs: 1_000, made: 0 };
  const store = new CacheStore({ now: () => state.nowMs });
  const partition = store.partition();
  const queries = createRunningQueries(store, partition);
  const run = async (query: string, made: Made = {}) => {
    const { forMs = 1_000, isWhole = true, uncacheable = false, wait, caller } = made;
    const work = new Work({ caller });
    const result = await queries.run(query, work, async () => {
      const text = `answer ${++state.made}`;
      await wait;
      work.uncacheable = uncacheable;
      work.dependOn({ expiresAtMs: state.nowMs + forMs, tags: [TAGS.lists({ formId: 'a' })] });
      return { text, errors: isWhole ? [] : [new Error('a field failed')] };
    });
    return { body: result.text, work };
  };
  return { run, state, store, partition };
}

describe('equal queries in flight', () => {
  it('run once', async () => {
    const { run, state } = openQueries();
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = [run('q', { wait: promise, forMs: 0 }), run('q'), run('q')];

    resolve();

    expect((await Promise.all(all)).map(({ body }) => body)).toEqual(['answer 1', 'answer 1', 'answer 1']);
    expect(state.made).toBe(1);
  });

  it('run separately for callers who have the cache in common, since each waits for connections of their own', async () => {
    const { run } = openQueries();
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = run('q', { wait: promise, caller: 'ann' });

    const other = await run('q', { caller: 'bob' });
    resolve();

    expect([(await first).body, other.body]).toEqual(['answer 1', 'answer 2']);
  });

  it('run separately when the first response is incomplete', async () => {
    const { run } = openQueries();
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = [run('q', { wait: promise, isWhole: false }), run('q')];

    resolve();

    expect((await Promise.all(all)).map(({ body }) => body)).toEqual(['answer 1', 'answer 2']);
  });

  it('are not coalesced across a write', async () => {
    const { run, store } = openQueries();
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = run('q', { wait: promise });

    store.invalidate([TAGS.lists({ formId: 'a' })]);
    const afterwards = await run('q');
    resolve();

    expect([(await before).body, afterwards.body]).toEqual(['answer 1', 'answer 2']);
  });

  it('are not coalesced once their caller was cleared', async () => {
    const { run, partition } = openQueries();
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = run('q', { wait: promise });

    partition.clear();
    const afterwards = await run('q');
    resolve();

    expect([(await before).body, afterwards.body]).toEqual(['answer 1', 'answer 2']);
  });

  it('have the dependencies of the one that ran', async () => {
    const { run } = openQueries();
    const { promise, resolve } = Promise.withResolvers<void>();
    const both = [run('q', { wait: promise }), run('q')];

    resolve();

    const [first, second] = await Promise.all(both);
    expect(second?.work).toMatchObject({ expiresAtMs: first?.work.expiresAtMs, tags: first?.work.tags });
  });

  it('are not kept when they have ended', async () => {
    const { run } = openQueries();

    expect([(await run('q')).body, (await run('q')).body]).toEqual(['answer 1', 'answer 2']);
  });
});
