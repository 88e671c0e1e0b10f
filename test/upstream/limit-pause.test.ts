import { describe, expect, it } from 'vitest';

import { UpstreamError } from '../../src/upstream/errors.ts';
import { createLimitPause, type PauseNews } from '../../src/upstream/limit-pause.ts';
import { fakeClock, settled } from './support/fake-clock.ts';
import { failureOf } from './support/open.ts';

const limited = (retryAfterMs = 1_000) => new UpstreamError('rate-limited', { operation: 'getForm', retryAfterMs });

/** A pause of 60 s at most, and calls whose ends the test holds. */
function pausing({ earlyMs = 0 } = {}) {
  const clock = fakeClock();
  const after = (ms: number, callback: () => void) => clock.after(Math.max(1, ms - earlyMs), callback);
  const told: number[] = [];
  const others = { hear: (_restMs: number) => undefined as unknown };
  const news: PauseNews = {
    tell: (restMs) => void told.push(restMs),
    hear(listener) {
      others.hear = listener;
    },
  };
  const pause = createLimitPause({ maxMs: 60_000, news, now: clock.now, after });
  const order: string[] = [];
  const begin = (operation: string, isRead: boolean, restMs = 10_000) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const done = pause.pass({ operation, isRead, restMs }, () => {
      order.push(operation);
      return promise;
    });
    done.catch(() => undefined);
    return { done, answer: () => resolve(operation), exceed: (ms?: number) => reject(limited(ms)) };
  };
  const read = (operation = 'read') => begin(operation, true);
  const write = (operation = 'write', restMs?: number) => begin(operation, false, restMs);
  /** Meets the limit once. */
  const meet = async (retryAfterMs?: number) => {
    const { done, exceed } = read('meets');
    exceed(retryAfterMs);
    await failureOf(done);
    order.length = 0;
  };
  /** How long a pause lasts, by what a read is told. */
  const lengthOf = async () => (await failureOf(read().done)).retryAfterMs;
  return { clock, read, write, meet, order, lengthOf, told, hear: (restMs: number) => others.hear(restMs) };
}

describe('the pause after REQUEST_LIMIT_EXCEEDED', () => {
  it('refuses reads as rate-limited, with the rest of it, and makes no call', async () => {
    const { clock, meet, read, order } = pausing();
    await meet(3_000);
    await clock.advance(1_000);

    const error = await failureOf(read().done);

    expect(error).toMatchObject({ failure: 'rate-limited', retryAfterMs: 2_000, isUnsent: true, isFinal: true });
    expect(order).toEqual([]);
  });

  it('ends for a write that waits, also where the timer comes early', async () => {
    const { clock, meet, write, order } = pausing({ earlyMs: 2 });
    await meet(1_000);
    write();

    await clock.advance(999);
    expect(order).toEqual([]);
    await clock.advance(1);
    await clock.advance(1);

    expect(order).toEqual(['write']);
  });

  it('doubles each time that the limit is still exceeded, up to its longest', async () => {
    const { clock, meet, lengthOf } = pausing();
    const lengths: (number | undefined)[] = [];

    for (let round = 0; round < 8; round++) {
      await meet();
      lengths.push(await lengthOf());
      await clock.advance(60_000);
    }

    expect(lengths).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('is as long as the platform says where that is more', async () => {
    const { meet, lengthOf } = pausing();

    await meet(20_000);

    expect(await lengthOf()).toBe(20_000);
  });

  it('begins anew with its first length once all goes well', async () => {
    const { clock, meet, read, lengthOf } = pausing();
    await meet();
    await clock.advance(1_000);
    await meet();
    await clock.advance(2_000);

    for (let call = 0; call < 6; call++) {
      const { done, answer } = read();
      answer();
      await done;
    }
    await meet();

    expect(await lengthOf()).toBe(1_000);
  });

  it('does not grow by calls that had left before it', async () => {
    const { read, lengthOf } = pausing();
    const early = Array.from({ length: 5 }, () => read());

    for (const { exceed } of early) exceed();
    await Promise.allSettled(early.map(({ done }) => done));

    expect(await lengthOf()).toBe(1_000);
  });

  it('lets one call try when it is over, and then ever more', async () => {
    const { clock, meet, read, order } = pausing();
    await meet();
    await clock.advance(1_000);

    const first = Array.from({ length: 4 }, (_, index) => read(`first ${index}`));
    await settled();
    first[0]?.answer();
    await settled();
    for (let index = 0; index < 4; index++) read(`second ${index}`);
    await settled();

    expect(order).toEqual(['first 0', 'second 0', 'second 1']);
  });

  it('holds writes back to its end, and lets them go before reads', async () => {
    const { clock, meet, read, write, order } = pausing();
    await meet();
    const writes = [write('write 0'), write('write 1')];
    await settled();
    const during = [...order];

    await clock.advance(1_001);
    read('read');
    writes[0]?.answer();
    await settled();

    expect(during).toEqual([]);
    expect(order).toEqual(['write 0', 'write 1']);
  });

  it('refuses a write that has no time to wait', async () => {
    const { meet, write, order } = pausing();
    await meet(30_000);

    const error = await failureOf(write('write', 10_000).done);

    expect(error).toMatchObject({ failure: 'rate-limited', retryAfterMs: 30_000, isUnsent: true });
    expect(order).toEqual([]);
  });

  it('refuses a write whose time is over while others try', async () => {
    const { clock, meet, write } = pausing();
    await meet();
    write('tries for long');
    const late = write('late', 5_000);
    await clock.advance(1_001);

    await clock.advance(5_000);

    expect((await failureOf(late.done)).failure).toBe('rate-limited');
  });
});

describe('the pause after another replica met the limit', () => {
  it('is told to the others once, with how long it lasts', async () => {
    const { read, told } = pausing();
    const [one, two] = [read(), read()];

    one.exceed(3_000);
    two.exceed(3_000);
    await Promise.all([failureOf(one.done), failureOf(two.done)]);

    expect(told).toEqual([3_000]);
  });

  it('keeps reads and writes back as an own one does, and tells it to nobody', async () => {
    const { clock, hear, read, write, order, told } = pausing();
    hear(2_000);
    write();
    const error = await failureOf(read().done);
    const during = [...order];

    await clock.advance(2_001);

    expect(error).toMatchObject({ failure: 'rate-limited', retryAfterMs: 2_000, isUnsent: true });
    expect([during, order, told]).toEqual([[], ['write'], []]);
  });

  it('lets one call try after it', async () => {
    const { clock, hear, read, order } = pausing();
    hear(2_000);
    await clock.advance(2_001);

    read('tries');
    await failureOf(read('another').done);

    expect(order).toEqual(['tries']);
  });

  it('is never longer than the longest', async () => {
    const { hear, lengthOf } = pausing();
    hear(3_600_000);

    expect(await lengthOf()).toBe(60_000);
  });

  it('is not cut short by news of a shorter one', async () => {
    const { meet, hear, lengthOf } = pausing();
    await meet(30_000);
    hear(1_000);

    expect(await lengthOf()).toBe(30_000);
  });
});
