import { describe, expect, it } from 'vitest';

import { createTurns } from '../../../src/features/live/clock.ts';
import { writeFolder } from '../../support/folder.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { MINUTE_MS, MovedClock, startByClock, startLists, subscribe, times } from './support.ts';

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
  it('ends where two runs in a row take more than 250 ms of CPU time', async () => {
    const { url, pass } = await startLists({ EXTENSIONS: writeFolder({ 'own.js': spinning(9) }) });
    const stream = await subscribe(url, SPIN);
    await stream.next();

    await pass(MINUTE_MS);

    expect(await stream.next()).toMatchObject({
      data: null,
      errors: [{ extensions: { code: 'COST_EXCEEDED' } }],
    });
    expect(await stream.ended).toContain('event: complete');
  });

  it('goes on after a single run that does', async () => {
    const { url, pass, change } = await startLists({
      EXTENSIONS: writeFolder({ 'own.js': spinning(2) }),
    });
    const stream = await subscribe(url, SPIN);
    await stream.next();

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
    const stream = await subscribe(
      gateway.url,
      'subscription { instances(formId: "a") { totalCount } }',
    );
    await stream.next();
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
