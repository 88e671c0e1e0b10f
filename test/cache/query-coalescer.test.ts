import { describe, expect, it } from 'vitest';
import { createQueryCoalescer } from '../../src/cache/cache.ts';
import { CacheStore } from '../../src/cache/store.ts';
import { RequestState } from '../../src/core/request-state.ts';
import { TAGS } from '../../src/upstream/resources/instances.ts';

const LISTS = TAGS.lists({ formId: 'a' });

interface Made {
  readonly isWhole?: boolean;
  readonly uncacheable?: boolean;
  readonly wait?: Promise<unknown>;
  readonly caller?: string;
}

/** The running queries of one caller, whose answers are numbered by when they were made. */
function openQueries() {
  let made = 0;
  const store = new CacheStore({ now: () => 1_000 });
  const partition = store.partition();
  const queries = createQueryCoalescer(store, partition);
  const run = async ({ isWhole = true, uncacheable = false, wait, caller }: Made = {}) => {
    const requestState = new RequestState({ caller });
    const result = await queries.run('q', requestState, async () => {
      const text = `answer ${++made}`;
      await wait;
      requestState.uncacheable = uncacheable;
      // The sources are no longer fresh when the query ends.
      requestState.dependOn({ expiresAtMs: 1_000, tags: [LISTS] });
      return { text, errors: isWhole ? [] : [new Error('a field failed')] };
    });
    return { body: result.text, requestState };
  };
  return { run, store, partition };
}

/** Runs a query, and an equal one while it waits; gives both answers. */
async function runTwice({ first = {}, second = {}, between = () => undefined }: Twice = {}) {
  const queries = openQueries();
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = queries.run({ wait: promise, ...first });
  between(queries);
  const after = queries.run(second);
  resolve();
  return Promise.all([before, after]);
}

interface Twice {
  readonly first?: Made;
  readonly second?: Made;
  readonly between?: (queries: ReturnType<typeof openQueries>) => void;
}

describe('equal queries in flight', () => {
  it('run once, whose dependencies they have', async () => {
    const [first, second] = await runTwice();

    expect([first.body, second.body]).toEqual(['answer 1', 'answer 1']);
    expect(second.requestState).toMatchObject({
      expiresAtMs: 1_000,
      tags: first.requestState.tags,
    });
  });

  it.each<[string, Twice]>([
    ['the first response is incomplete', { first: { isWhole: false } }],
    ['the first response is for its caller alone', { first: { uncacheable: true } }],
    // Each waits for connections of their own.
    ['callers have the cache in common', { first: { caller: 'ann' }, second: { caller: 'bob' } }],
    ['something was written meanwhile', { between: ({ store }) => store.invalidate([LISTS]) }],
    ['their caller was cleared meanwhile', { between: ({ partition }) => partition.clear() }],
  ])('run separately where %s', async (_what, twice) => {
    expect((await runTwice(twice)).map(({ body }) => body)).toEqual(['answer 1', 'answer 2']);
  });

  it('are not kept when they have ended', async () => {
    const { run } = openQueries();

    expect([(await run()).body, (await run()).body]).toEqual(['answer 1', 'answer 2']);
  });
});
