import { describe, expect, it } from 'vitest';
import { createQueryCoalescer } from '../../src/cache/cache.ts';
import { CacheStore } from '../../src/cache/store.ts';
import { RequestState } from '../../src/core/request-state.ts';
import { TAGS } from '../../src/upstream/resources/instances.ts';

const LISTS = TAGS.lists({ formId: 'a' });

interface Made {
  /** How long the sources of the answer are fresh. */
  readonly forMs?: number;
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
  const run = async (query: string, options: Made = {}) => {
    const { forMs = 1_000, isWhole = true, uncacheable = false, wait, caller } = options;
    const requestState = new RequestState({ caller });
    const result = await queries.run(query, requestState, async () => {
      const text = `answer ${++made}`;
      await wait;
      requestState.uncacheable = uncacheable;
      requestState.dependOn({ expiresAtMs: 1_000 + forMs, tags: [LISTS] });
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
  const before = queries.run('q', { wait: promise, ...first });
  between(queries);
  const after = queries.run('q', second);
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
    const [first, second] = await runTwice({ first: { forMs: 0 } });

    expect([first.body, second.body]).toEqual(['answer 1', 'answer 1']);
    expect(second.requestState).toMatchObject({
      expiresAtMs: first.requestState.expiresAtMs,
      tags: first.requestState.tags,
    });
  });

  it.each<[string, Twice]>([
    ['the first response is incomplete', { first: { isWhole: false } }],
    ['the first one says that it is for nobody else', { first: { uncacheable: true } }],
    // Each waits for connections of their own.
    ['callers have the cache in common', { first: { caller: 'ann' }, second: { caller: 'bob' } }],
    ['something was written meanwhile', { between: ({ store }) => store.invalidate([LISTS]) }],
    ['their caller was cleared meanwhile', { between: ({ partition }) => partition.clear() }],
  ])('run separately where %s', async (_what, twice) => {
    expect((await runTwice(twice)).map(({ body }) => body)).toEqual(['answer 1', 'answer 2']);
  });

  it('are not kept when they have ended', async () => {
    const { run } = openQueries();

    expect([(await run('q')).body, (await run('q')).body]).toEqual(['answer 1', 'answer 2']);
  });
});
