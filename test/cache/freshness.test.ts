import { describe, expect, it } from 'vitest';
import { TAGS } from '../../src/upstream/resources/instances.ts';
import { dialectOf } from '../upstream/support/open.ts';
import { BODY, KEY, openTimed, PAGE, type Reads } from './support/open.ts';

const readInstance = ({ instance }: Reads) => instance(KEY);
const LOOK_UP = {
  ...PAGE,
  where: [{ field: 'idInstance', operator: 'IN', values: ['1', '2'] }],
} as const;

const WITHOUT_VALIDATORS = { dialect: dialectOf({ unchanged: { isAsked: false } }) };

const INSTANCES: readonly (readonly [string, (reads: Reads) => Promise<unknown>])[] = [
  ['an instance', readInstance],
  ['a page of instances', ({ instances }) => instances('a', PAGE)],
  ['several instances by their ids', ({ instances }) => instances('a', LOOK_UP)],
];
const DEFINITIONS: readonly (readonly [string, (reads: Reads) => Promise<unknown>])[] = [
  ['a form', ({ form }) => form('a')],
  ['a page of forms', ({ forms }) => forms(PAGE)],
  ['a rule', ({ rule }) => rule({ component: 'r', version: '1' })],
];

describe('a cached record', () => {
  it.each(INSTANCES)(
    'is kept when it is requested again, and revalidated by the next operation: %s',
    async (_what, read) => {
      const { run, conditions, store } = await openTimed();

      const first = await run(read);
      const afterOne = store.bytes;
      await run(read);
      const third = await run(read);

      expect(afterOne).toBe(0);
      expect(conditions()).toEqual([false, false, true]);
      expect(third.got).toEqual(first.got);
      expect(third.requestState).toMatchObject({ calls: 1, notModified: 1, fresh: 0 });
    },
  );

  it.each([
    ...DEFINITIONS.map((row) => [...row, {}, 60_000] as const),
    ...INSTANCES.map((row) => [...row, { instancesMs: 1_000 }, 1_000] as const),
  ])(
    'is fresh for a minute, or for the configured time, without a call: %s',
    async (_what, read, lifetimes, freshMs) => {
      const { run, conditions, pass } = await openTimed(lifetimes);

      await run(read);
      pass(freshMs - 1);
      const { requestState } = await run(read);
      pass(1);
      await run(read);

      expect(requestState).toMatchObject({ calls: 0, fresh: 1 });
      expect(conditions()).toEqual([false, true]);
    },
  );

  it('is fresh for the same time again after revalidation', async () => {
    const { run, requests, pass } = await openTimed();

    for (let count = 0; count < 4; count++) {
      await run(({ form }) => form('a'));
      pass(30_000);
    }

    expect(requests).toHaveLength(2);
  });
});

describe('the memory of the cache', () => {
  it('has no copy that neither a lifetime nor a validator would use again', async () => {
    const { run, store, requests } = await openTimed({}, WITHOUT_VALIDATORS);

    await run(readInstance);
    await run(readInstance);

    expect(requests).toHaveLength(2);
    expect(store.bytes).toBe(0);
  });

  it.each([{ instancesMs: 1_000 }, { staleIfErrorMs: 1_000 }])(
    'has a copy for the lifetime %j',
    async (lifetimes) => {
      const { run, store } = await openTimed(lifetimes, WITHOUT_VALIDATORS);

      await run(readInstance);

      expect(store.bytes).toBeGreaterThan(0);
    },
  );

  it.each([
    ['x', 100_000],
    ['ж', 200_000],
  ])('counts the bytes of a long text of %s, also after its first use', async (letter, least) => {
    const body = { ...BODY, values: { text: letter.repeat(100_000) } };
    const { run, store } = await openTimed({ instancesMs: 60_000 }, { body });

    await run(readInstance);
    const asText = store.bytes;
    await run(readInstance);

    expect(Math.min(asText, store.bytes)).toBeGreaterThanOrEqual(least);
  });
});

describe('within one operation', () => {
  it('a record without validator and lifetime is read again after a change', async () => {
    const { begin, pass, requests, cache } = await openTimed({}, WITHOUT_VALIDATORS);
    const reads = begin();
    pass(1);

    await readInstance(reads);
    cache.invalidate([TAGS.record(KEY)]);
    await readInstance(reads);

    expect(requests).toHaveLength(2);
  });

  it('a record confirmed since the operation started is not revalidated', async () => {
    const { begin, pass, requests } = await openTimed();
    await begin().instance(KEY);
    const early = begin();
    pass(1);
    await begin().instance(KEY);
    pass(10);

    await early.instance(KEY);

    expect(requests).toHaveLength(2);
    expect(early.requestState).toMatchObject({ calls: 0, fresh: 1 });
  });
});
