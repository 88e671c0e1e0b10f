import { describe, expect, it } from 'vitest';

import { createTurns } from '../../../src/features/live/clock.ts';
import { writeFolder } from '../../support/folder.ts';
import { postGraphql } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { writeDialect } from '../../support/write-dialect.ts';
import {
  listOf,
  listResult,
  MINUTE_MS,
  MovedClock,
  startBoard,
  startByClock,
  startLists,
  subscribe,
  times,
} from './support.ts';

describe('the polls of subscriptions', () => {
  it('are 12 in a quiet minute for 200 equal streams', async () => {
    const { watch, seen, pass, figure } = await startLists();
    await Promise.all(times(200).map(() => watch()));
    seen.length = 0;

    await pass(MINUTE_MS);

    expect(seen).toHaveLength(12);
    expect(seen.every(({ headers }) => headers['if-modified-since'] !== undefined)).toBe(true);
    expect(await figure('caseway_live_operations')).toBe(1);
  });

  it('are at most 30 a minute for 60 lists and a budget of 120, and no read within its share is refused', async () => {
    const { url, watch, seen, pass } = await startLists({ UPSTREAM_CALLS_PER_MINUTE: '120' });
    const everyTenSeconds = async (start: (form: number) => Promise<unknown>) => {
      for (const window of times(6)) {
        await Promise.all(times(10).map((index) => start(10 * window + index)));
        await pass(10_000);
      }
    };
    await everyTenSeconds((form) => watch(listOf(`f${form}`)));
    seen.length = 0;

    await everyTenSeconds(async (form) => {
      const query = `{ instances(formId: "r${form}") { totalCount } }`;
      expect((await postGraphql(url, { query })).errors).toBeUndefined();
    });

    const polled = seen.flatMap(({ url: path }) => (path.includes('/forms/f') ? [path] : []));
    expect(polled.length).toBeGreaterThan(20);
    expect(polled.length).toBeLessThanOrEqual(30);
    // The ones that waited longest went first, so no list was polled twice.
    expect(new Set(polled).size).toBe(polled.length);
  });

  it('find a change at the platform within one interval, and send no equal result', async () => {
    const { pass, change, watch } = await startLists();
    const stream = await watch();
    expect(stream.first).toEqual(listResult(1));

    change('a', 1);
    await pass(5_250);
    expect(stream.text()).not.toContain('"totalCount":2');
    change('a', 2);
    await pass(5_500);

    expect(await stream.next()).toEqual(listResult(2));
  });

  it('have the interval of @every, and at least LIVE_INTERVAL_MS', async () => {
    const { watch, seen, countCalls, pass } = await startLists();
    await watch(listOf('a').replace('{', '@every(seconds: 20) {'));
    await watch(listOf('b').replace('{', '@every(seconds: 1) {'));
    seen.length = 0;

    await pass(MINUTE_MS);

    expect([countCalls('/forms/a/'), countCalls('/forms/b/')]).toEqual([3, 12]);
  });

  it('end with the last stream', async () => {
    const { seen, pass, figure, watch } = await startLists();
    const stream = await watch();
    stream.close();
    await expect.poll(() => figure('caseway_live_streams')).toBe(0);
    seen.length = 0;

    await pass(MINUTE_MS);

    expect(seen).toEqual([]);
    expect(await figure('caseway_live_operations')).toBe(0);
  });

  it('after writes come at most once a second, and see the last one', async () => {
    const { seen, pass, change, remove, watch } = await startLists();
    const stream = await watch();
    seen.length = 0;

    for (const index of times(10)) {
      change('a', 2 + index);
      await remove();
      await pass(100);
    }
    await pass(2_000);

    expect(seen.filter(({ method }) => method === 'GET').length).toBeLessThanOrEqual(6);
    expect(await stream.next()).toEqual(listResult(2));
    await expect.poll(stream.text).toContain('"totalCount":11');
  });
});

const BOARD = `subscription @every(seconds: 20) {
  instances(formId: "a", first: 1) { totalCount nodes { reference(field: "next") { value(field: "name") } } }
}`;
const boardOf = (total: number, name: string) => ({
  data: { instances: { totalCount: total, nodes: [{ reference: { value: name } }] } },
});

/** A board whose reference may be held back. */
async function startSlow() {
  let held: PromiseWithResolvers<void> | undefined;
  let onHeld = () => {};
  // A total of 1 on a page of one row counts the list.
  const env = { UPSTREAM_DIALECT: writeDialect({ list: { total: ['total'] } }) };
  const gateway = await startBoard(async (idInstance) => {
    onHeld();
    if (idInstance === 7) await held?.promise;
    return { body: { idInstance, values: { name: `Name ${idInstance}` } } };
  }, env);
  /** Holds it back. @returns what resolves when somebody waits for it. */
  const hold = () => {
    held = Promise.withResolvers();
    return new Promise<void>((resolve) => {
      onHeld = resolve;
    });
  };
  return { ...gateway, hold, release: () => held?.resolve() };
}

describe('the first run of a newcomer', () => {
  it('that is slow sends no client an older result, itself included', async () => {
    const { url, board, hold, release, pass, figure, watch } = await startSlow();
    const stream = await watch(BOARD);
    expect(stream.first).toEqual(boardOf(1, 'Name 7'));
    await pass(10_000);

    const isHeld = hold();
    const opening = subscribe(url, BOARD);
    await isHeld;
    Object.assign(board, { rows: 2, next: 8 });
    await pass(11_000);
    expect(await stream.next()).toEqual(boardOf(2, 'Name 8'));
    release();

    expect(await (await opening).next()).toEqual(boardOf(2, 'Name 8'));
    expect(await figure('caseway_live_operations')).toBe(1);
    expect(await figure('caseway_live_results_total')).toBe(3);
  });

  it('during which something was written is followed by another run at once', async () => {
    const { url, board, hold, release, pass, remove } = await startSlow();
    const isHeld = hold();
    const opening = subscribe(url, BOARD);
    await isHeld;
    board.rows = 2;
    await remove();
    release();
    const stream = await opening;
    expect(await stream.next()).toEqual(boardOf(1, 'Name 7'));

    await pass(1_000);

    expect(await stream.next()).toEqual(boardOf(2, 'Name 7'));
  });
});

it('a new client gets the shared result if it was confirmed within LIVE_INTERVAL_MS, and else the present state', async () => {
  const { watch, pass, change, seen } = await startLists();
  const rare = listOf('a').replace('{', '@every(seconds: 60) {');
  const open = async () => (await watch(rare)).first.data.instances.totalCount;
  expect(await open()).toBe(1);
  seen.length = 0;

  await pass(4_000);
  expect(await open()).toBe(1);
  expect(seen).toHaveLength(0);
  change('a', 2);
  await pass(4_000);

  expect(await open()).toBe(2);
});

/**
 * An extension whose field uses the CPU for the milliseconds in its argument, for the first `often`
 * calls.
 */
const spinning = (often: number) => `
let left = ${often};
export default {
  typeDefs: 'extend interface Instance { spin(ms: Int!): Boolean }',
  resolvers: {
    Instance: {
      spin(_source, { ms }) {
        const started = process.threadCpuUsage().user;
        while (left > 0 && process.threadCpuUsage().user - started < ms * 1_000);
        left--;
        return true;
      },
    },
  },
};`;
const SPIN = 'subscription { instances(formId: "a") { totalCount nodes { spin(ms: 300) } } }';

describe('a subscription', () => {
  const startSpinning = (often: number) =>
    startLists({ EXTENSIONS: writeFolder({ 'own.js': spinning(often) }) });

  it('ends where two runs in a row take more than 250 ms of CPU time', async () => {
    const { watch, pass } = await startSpinning(9);
    const stream = await watch(SPIN);

    await pass(MINUTE_MS);

    expect(await stream.next()).toMatchObject({
      data: null,
      errors: [{ extensions: { code: 'COST_EXCEEDED' } }],
    });
    expect(await stream.ended).toContain('event: complete');
  });

  it('goes on after a single run that does', async () => {
    const { watch, pass, change } = await startSpinning(2);
    const stream = await watch(SPIN);

    await pass(MINUTE_MS);
    change('a', 2);
    await pass(MINUTE_MS);

    expect((await stream.next()).data.instances.totalCount).toBe(2);
  });

  it('runs as rarely as its runs take no more than a tenth of the time', async () => {
    let runMs = 0;
    const platform = await scriptPlatform(() => {
      gateway.skip(runMs);
      return { body: { items: [], total: 0 } };
    });
    const gateway = await startByClock(platform.env);
    await gateway.watch();
    platform.seen.length = 0;

    runMs = 2_000;
    await gateway.pass(2 * MINUTE_MS);
    const slow = platform.seen.splice(0).length;
    runMs = 0;
    await gateway.pass(2 * MINUTE_MS);

    expect(slow).toBe(6);
    // The first comes late.
    expect(platform.seen.length).toBeGreaterThan(20);
  });
});

it('the runs of one caller take at most a quarter of a CPU, and those of others do not wait for them', async () => {
  const clock = new MovedClock();
  const turns = createTurns(clock, 100_000);
  const runs = { one: 0, two: 0 };
  const begin = (caller: 'one' | 'two') => () => {
    runs[caller]++;
    turns.count(500, caller);
    if (caller === 'one') turns.wait(begin(caller), caller);
  };

  for (const _stream of times(5)) turns.wait(begin('one'), 'one');
  turns.wait(begin('two'), 'two');
  const { two } = runs;
  await clock.pass(MINUTE_MS);
  const before = runs.one;
  turns.hurry(begin('one'), 'one');

  expect(two).toBe(1);
  expect(before).toBeGreaterThanOrEqual(30);
  expect(before).toBeLessThanOrEqual(32);
  expect(runs.one).toBe(before);
});
