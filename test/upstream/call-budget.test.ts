import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createMemoryCounters, WINDOW_MS } from '../../src/upstream/call-counter.ts';
import { createCallBudget, type ReadKind } from '../../src/upstream/rate-limit.ts';
import { CREDENTIALS, failureOf, openPlatform } from './support/open.ts';

/** A budget by a clock that the test sets. */
function open(calls: number | undefined, kinds: readonly ReadKind[] = []) {
  const clock = { ms: 0 };
  const budget = createCallBudget(
    calls,
    kinds,
    createMemoryCounters(WINDOW_MS, () => clock.ms),
  );
  /** Tries so many calls, and gives how many were granted. */
  const grant = async (count: number, kind: string, caller?: string) => {
    const waits = await Promise.all(Array.from({ length: count }, () => budget.take(kind, caller)));
    return waits.filter((waitMs) => waitMs === 0).length;
  };
  return { clock, budget, grant };
}

describe('the call budget', () => {
  it('grants a sixth per ten seconds: reads 80 %, sign-ins 10 %, and writes what is left of both', async () => {
    const { clock, grant } = open(600);

    const granted = async () => [await grant(200, 'read'), await grant(200, 'sign-in'), await grant(200, 'write')];
    const first = await granted();
    clock.ms = 9_999;
    const none = await granted();
    clock.ms = 10_000;

    expect([first, none, await granted()]).toEqual([
      [80, 10, 10],
      [0, 0, 0],
      [80, 10, 10],
    ]);
  });

  it('lets writes use the reads’ share, but not the reverse', async () => {
    const { grant } = open(600);

    expect([await grant(200, 'write'), await grant(200, 'read')]).toEqual([90, 0]);
  });

  it('grants one caller at most half, and the gateway itself everything', async () => {
    const { grant } = open(600);

    const granted = [await grant(200, 'read', 'ann'), await grant(200, 'read', 'bob'), await grant(200, 'read', 'eve')];

    expect(granted).toEqual([40, 40, 0]);
    expect(await grant(200, 'sign-in')).toBe(10);
  });

  it('reports the time until the next window', async () => {
    const { clock, budget, grant } = open(600);
    await grant(200, 'read');
    clock.ms = 2_000;

    expect(await budget.take('read', undefined)).toBe(8_000);
  });

  it('grants one call of each kind, however small it is', async () => {
    const { grant } = open(1);

    expect([await grant(5, 'sign-in'), await grant(5, 'read'), await grant(5, 'write')]).toEqual([1, 1, 1]);
  });

  it('gives a kind of reads the share that it brings, off that of other reads', async () => {
    const { grant } = open(600, [{ name: 'poll', callsPerMinute: 150 }]);

    expect([await grant(200, 'poll'), await grant(200, 'read'), await grant(200, 'write')]).toEqual([25, 55, 10]);
  });

  it('limits a kind of reads that brings a share where nothing else has a limit', async () => {
    const { grant } = open(undefined, [{ name: 'poll', callsPerMinute: 60 }]);

    expect([await grant(200, 'poll'), await grant(200, 'read'), await grant(200, 'write')]).toEqual([10, 200, 200]);
  });

  it('is exceeded by at most a sixth within any 60 seconds', async () => {
    const call = fc.tuple(fc.nat(500), fc.constantFrom('read', 'write', 'sign-in'));
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 3_000 }), async (calls) => {
        const { clock, budget } = open(60);
        const atMs: number[] = [];
        for (const [passMs, kind] of calls) {
          clock.ms += passMs;
          if ((await budget.take(kind, undefined)) === 0) atMs.push(clock.ms);
        }

        for (const startMs of atMs) {
          expect(atMs.filter((ms) => ms >= startMs && ms < startMs + 60_000).length).toBeLessThanOrEqual(70);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('a call beyond the budget', () => {
  it('is rate-limited without being sent, and reports the time to wait', async () => {
    const { upstream, requests, signedIn } = await openPlatform(
      { status: 200, body: { idForm: 'a' } },
      { callBudget: createCallBudget(60) },
    );

    const reads = await Promise.allSettled(Array.from({ length: 12 }, () => upstream.forms.read('a')));
    const error = await failureOf(upstream.forms.read('a'));

    expect(reads.filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
    expect([requests.length, signedIn.length]).toEqual([8, 1]);
    expect(error).toMatchObject({ failure: 'rate-limited', isUnsent: true });
    expect(error.retryAfterMs).toBeLessThanOrEqual(10_000);
  });

  it('is counted for retries, and for the repeat after a 401', async () => {
    const { upstream, requests } = await openPlatform({ status: 500 }, { callBudget: createCallBudget(60) });

    const errors = await Promise.all(Array.from({ length: 8 }, () => failureOf(upstream.forms.read('a'))));

    expect(requests).toHaveLength(8);
    expect(errors.filter(({ failure }) => failure === 'rate-limited').length).toBeGreaterThan(0);
  });

  it('is never the gateway’s own sign-in, however many strangers sign in', async () => {
    const { factory, upstream } = await openPlatform(
      { status: 200, body: { idForm: 'a' } },
      { callBudget: createCallBudget(60) },
    );
    const signIns = await Promise.allSettled(Array.from({ length: 5 }, () => factory.signIn(CREDENTIALS.B)));

    const form = await upstream.forms.read('a');

    expect(signIns.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(form).toMatchObject({ record: { formId: 'a' } });
  });
});
