import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type CallKind, createCallBudget } from '../../src/upstream/call-budget.ts';
import { failureOf, openPlatform } from './support/open.ts';

/** A budget by a clock that the test sets. */
function open(callsPerMinute: number) {
  const clock = { ms: 0 };
  const budget = createCallBudget(callsPerMinute, () => clock.ms);
  /** Tries so many calls, and gives how many were granted. */
  const grant = (count: number, kind: CallKind, caller?: string) =>
    Array.from({ length: count }, () => budget.take(kind, caller)).filter((waitMs) => waitMs === 0).length;
  return { clock, budget, grant };
}

describe('the call budget', () => {
  it('grants a sixth in each ten seconds: reads 80 %, sign-ins 10 %, and changes the rest of both', () => {
    const { clock, grant } = open(600);

    const granted = () => [grant(200, 'read'), grant(200, 'sign-in'), grant(200, 'write')];
    const first = granted();
    clock.ms = 9_999;
    const none = granted();
    clock.ms = 10_000;

    expect([first, none, granted()]).toEqual([
      [80, 10, 10],
      [0, 0, 0],
      [80, 10, 10],
    ]);
  });

  it('lets changes take from the reads’ share, and reads not from theirs', () => {
    const { grant } = open(600);

    expect([grant(200, 'write'), grant(200, 'read')]).toEqual([90, 0]);
  });

  it('grants one caller at most half, and the gateway itself all', () => {
    const { grant } = open(600);

    expect([grant(200, 'read', 'ann'), grant(200, 'read', 'bob'), grant(200, 'read', 'eve')]).toEqual([40, 40, 0]);
    expect([grant(200, 'sign-in')]).toEqual([10]);
  });

  it('says how long until the next window', () => {
    const { clock, budget, grant } = open(600);
    grant(200, 'read');
    clock.ms = 2_000;

    expect(budget.take('read', undefined)).toBe(8_000);
  });

  it('grants one call of each kind, however small it is', () => {
    const { grant } = open(1);

    expect([grant(5, 'sign-in'), grant(5, 'read'), grant(5, 'write')]).toEqual([1, 1, 1]);
  });

  it('is used at most by 7/6 within any 60 seconds', () => {
    const call = fc.tuple(fc.nat(500), fc.constantFrom<CallKind>('read', 'write', 'sign-in'));
    fc.assert(
      fc.property(fc.array(call, { maxLength: 3_000 }), (calls) => {
        const { clock, budget } = open(60);
        const atMs: number[] = [];
        for (const [passMs, kind] of calls) {
          clock.ms += passMs;
          if (budget.take(kind, undefined) === 0) atMs.push(clock.ms);
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
  it('is rate-limited, with nothing sent, and says how long to wait', async () => {
    const { upstream, asked, signedIn } = await openPlatform(
      { status: 200, body: { idForm: 'a' } },
      { callBudget: createCallBudget(60) },
    );

    const reads = await Promise.allSettled(Array.from({ length: 12 }, () => upstream.forms.read('a')));
    const error = await failureOf(upstream.forms.read('a'));

    expect(reads.filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
    expect([asked.length, signedIn.length]).toEqual([8, 1]);
    expect(error).toMatchObject({ failure: 'rate-limited', isUnsent: true });
    expect(error.retryAfterMs).toBeLessThanOrEqual(10_000);
  });

  it('counts second tries, and repeats after a 401', async () => {
    const { upstream, asked } = await openPlatform({ status: 500 }, { callBudget: createCallBudget(60) });

    const errors = await Promise.all(Array.from({ length: 8 }, () => failureOf(upstream.forms.read('a'))));

    expect(asked).toHaveLength(8);
    expect(errors.filter(({ failure }) => failure === 'rate-limited').length).toBeGreaterThan(0);
  });
});
