import { describe, expect, it } from 'vitest';

import type { Reads } from '../../src/cache/resources.ts';
import { BODY, KEY, openTimed, PAGE } from './support/open-timed.ts';

const readInstance = ({ instance }: Reads) => instance(KEY);
const LOOK_UP = { ...PAGE, where: [{ field: 'idInstance', operator: 'IN', values: ['1', '2'] }] } as const;

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

describe('what was read before', () => {
  it.each(INSTANCES)('is asked again by the next operation, conditionally: %s', async (_what, read) => {
    const { run, conditions } = await openTimed();

    const first = await run(read);
    const second = await run(read);

    expect(conditions()).toEqual([false, true]);
    expect(second.got).toEqual(first.got);
    expect(second.stats).toMatchObject({ calls: 1, notModified: 1, fresh: 0 });
  });

  it.each(DEFINITIONS)('serves for a minute without a call: %s', async (_what, read) => {
    const { run, conditions, pass } = await openTimed();

    await run(read);
    pass(59_999);
    const { stats } = await run(read);
    pass(1);
    await run(read);

    expect(stats).toMatchObject({ calls: 0, fresh: 1 });
    expect(conditions()).toEqual([false, true]);
  });

  it('serves for as long again once it was confirmed', async () => {
    const { run, asked, pass } = await openTimed();

    for (let count = 0; count < 4; count++) {
      await run(({ form }) => form('a'));
      pass(30_000);
    }

    expect(asked).toHaveLength(2);
  });

  it.each(INSTANCES)('serves for as long as that is set: %s', async (_what, read) => {
    const { run, conditions, pass } = await openTimed({ instancesMs: 1_000 });

    await run(read);
    pass(999);
    await run(read);
    pass(1);
    await run(read);

    expect(conditions()).toEqual([false, true]);
  });

  it('is what the platform shows now, where that has changed', async () => {
    const { run, put, pass } = await openTimed();
    await run(readInstance);
    pass(5_000);

    put('/forms/a/instances/1', { ...BODY, values: { n: 1 } });
    const { got } = await run(readInstance);

    expect(got?.content?.values).toEqual({ n: 1 });
  });

  it('is nothing any more, once the platform has nothing', async () => {
    const { run, failNext, conditions } = await openTimed();
    await run(readInstance);

    failNext({ status: 404 });
    const { got } = await run(readInstance);
    await run(readInstance);

    expect(got).toBeUndefined();
    expect(conditions()).toEqual([false, true, false]);
  });
});

describe('two changes by others within one second', () => {
  it.each([0, 400, 999])('are both seen, when the first was read %d ms into it', async (intoMs) => {
    const { run, put, pass } = await openTimed();
    const show = (n: number) => put('/forms/a/instances/1', { ...BODY, values: { n } });
    const seen: unknown[] = [];
    const look = async () => seen.push((await run(readInstance)).got?.content?.values['n']);

    pass(10_000);
    show(1);
    pass(intoMs);
    await look();
    show(2);
    await look();
    for (let count = 0; count < 8; count++) {
      pass(500);
      await look();
    }

    expect(seen).toEqual([1, ...Array(9).fill(2)]);
  });

  it('cost a whole answer until two seconds have passed, and a 304 from then on', async () => {
    const { run, put, pass, conditions } = await openTimed();
    put('/forms/a/instances/1', BODY);

    for (const ms of [1_000, 999, 1, 1]) {
      pass(ms);
      await run(readInstance);
    }

    expect(conditions()).toEqual([false, false, false, true]);
  });
});

describe('within one operation', () => {
  it('what was found true since it began is true for it', async () => {
    const { begin, pass, asked } = await openTimed();
    const early = begin();
    pass(1);
    await begin().instance(KEY);
    pass(10);

    await early.instance(KEY);

    expect(asked).toHaveLength(1);
    expect(early.stats).toMatchObject({ calls: 0, fresh: 1 });
  });

  it('what was found true before it began is asked again', async () => {
    const { begin, pass, asked } = await openTimed();
    await begin().instance(KEY);
    pass(1);

    await begin().instance(KEY);

    expect(asked).toHaveLength(2);
  });
});

describe('the budget of calls', () => {
  it('refuses the call that would be one too many, conditional or not, at nobody else’s cost', async () => {
    const { run, asked } = await openTimed();
    await run(readInstance, 1);

    const [poor, rich] = await Promise.allSettled([run(readInstance, 0), run(readInstance)]);

    expect(poor).toMatchObject({ status: 'rejected', reason: { name: 'BudgetError' } });
    expect(rich).toMatchObject({ status: 'fulfilled' });
    expect(asked).toHaveLength(2);
  });
});
