import { type RequestKind, retry } from 'caseway/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const LOST = new TypeError('fetch failed');
const limited = (retryAfterMs: number) => ({
  errors: [{ message: 'No.', extensions: { code: 'RATE_LIMITED', retryable: true, retryAfterMs } }],
});

const LONG_MS = 900_000;

describe('a request', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
  afterEach(() => void vi.useRealTimers());

  /** Sends a request whose attempts fail with these errors. Returns the outcome and the times. */
  async function send(kind: RequestKind, failures: readonly unknown[], signal?: AbortSignal) {
    const startedAtMs = Date.now();
    const sentAtMs: number[] = [];
    const attempt = async () => {
      sentAtMs.push(Date.now() - startedAtMs);
      const failure = failures[sentAtMs.length - 1];
      if (failure !== undefined) throw failure;
      return 'done';
    };
    const ended = retry(kind, attempt, signal && { signal }).catch((error: unknown) => error);
    // Longer than all waits. Timers of other tests in the process may repeat without end.
    await vi.advanceTimersByTimeAsync(LONG_MS);
    return { outcome: await ended, sentAtMs };
  }

  it.each([
    ['read', 2],
    ['keyed-write', 2],
    ['write', 1],
  ] as const)('of the kind %s is sent %i times after a lost connection', async (kind, times) => {
    const { outcome, sentAtMs } = await send(kind, [LOST]);

    expect(sentAtMs).toHaveLength(times);
    expect(outcome).toBe(times === 1 ? LOST : 'done');
  });

  it('without a key is sent once, although the gateway would permit a repeat', async () => {
    expect((await send('write', [limited(10)])).sentAtMs).toHaveLength(1);
  });

  it('is sent three times at most, and fails with the last error', async () => {
    const last = limited(1);

    const { outcome, sentAtMs } = await send('read', [LOST, LOST, last]);

    expect([sentAtMs.length, outcome]).toEqual([3, last]);
  });

  it.each([
    [5_000, 2],
    [60_000, 1],
  ])(
    'waits for the %i ms that the gateway names, if a person would accept it: sent %i times',
    async (waitMs, times) => {
      const { sentAtMs } = await send('read', [limited(waitMs)]);

      expect(sentAtMs).toHaveLength(times);
      expect(sentAtMs[1] ?? waitMs).toBeGreaterThanOrEqual(waitMs);
    },
  );

  it('is not sent again after it was aborted', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 1);

    const { outcome, sentAtMs } = await send('read', [limited(20_000)], controller.signal);

    expect(sentAtMs).toHaveLength(1);
    expect(outcome).toMatchObject(limited(20_000));
  });

  it('with a key is not sent again after the device has slept longer than the key lives', async () => {
    setTimeout(() => vi.setSystemTime(Date.now() + 3_600_000), 1);

    const { outcome, sentAtMs } = await send('keyed-write', [LOST]);

    expect([sentAtMs.length, outcome]).toEqual([1, LOST]);
  });
});
