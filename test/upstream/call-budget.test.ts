import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type Bucket, createMemoryBuckets } from '../../src/upstream/call-buckets.ts';
import { createCallBudget, type ReadKind, stricterOf } from '../../src/upstream/call-budget.ts';
import { CREDENTIALS, failureOf, openPlatform } from './support/open.ts';

type Limits = Parameters<typeof createCallBudget>[0];

interface Options {
  readonly kinds?: readonly ReadKind[];
  /** The reserved calls per minute by role. */
  readonly reserve?: Readonly<Record<string, number>>;
}

/** Creates a budget with a clock that the test sets. A number is the calls per minute. */
function open(limit: number | undefined | Limits, { kinds = [], reserve = {} }: Options = {}) {
  const clock = { ms: 0 };
  const now = () => clock.ms;
  const limits = typeof limit === 'object' ? limit : { UPSTREAM_CALLS_PER_MINUTE: limit };
  const budget = createCallBudget(limits, kinds, createMemoryBuckets(now), now);
  budget.reserve(new Map(Object.entries(reserve)));
  /**
   * Takes at most `count` calls of a kind, until one is refused. Returns the number of granted
   * calls.
   */
  const grant = async (count: number, kind: string, caller?: string, role?: string) => {
    let granted = 0;
    while (granted < count && (await budget.take(kind, caller, role)) === undefined) granted++;
    return granted;
  };
  return { clock, budget, grant };
}

describe('the call budget', () => {
  it('holds a sixth for reads, sign-ins and writes, which comes back evenly', async () => {
    const { clock, grant } = open(600);

    const granted = async () => [
      await grant(200, 'read'),
      await grant(200, 'sign-in'),
      await grant(200, 'write'),
    ];
    const first = await granted();
    clock.ms = 5_000;
    const half = await granted();
    clock.ms = 60_000;

    // One call is kept for the token.
    expect([first, half, await granted()]).toEqual([
      [80, 10, 9],
      [40, 5, 5],
      [80, 10, 9],
    ]);
  });

  it('lets writes use the reads’ share, but not the reverse', async () => {
    const { grant } = open(600);

    expect([await grant(200, 'write'), await grant(200, 'read')]).toEqual([90, 0]);
  });

  it.each([
    ['everything to a caller who is alone for a minute', 70_000, [80, 0, 0]],
    ['one caller at most half while another has asked within the last minute', 50_000, [40, 40, 0]],
  ])('grants %s', async (_what, laterMs, expected) => {
    const { clock, grant } = open(600);
    await grant(1, 'read', 'eve');
    clock.ms = laterMs;

    const granted = [
      await grant(200, 'read', 'ann'),
      await grant(200, 'read', 'bob'),
      await grant(200, 'read', 'eve'),
    ];

    expect(granted).toEqual(expected);
    expect(await grant(200, 'sign-in')).toBe(10);
  });

  it('counts the earlier calls of a caller as soon as another one needs the share', async () => {
    const { clock, grant } = open(600);
    await grant(200, 'read', 'ann');
    await grant(1, 'read', 'bob');

    // Eight calls come back for all callers. A single caller may use half of them.
    clock.ms = 1_000;

    expect([await grant(200, 'read', 'ann'), await grant(200, 'read', 'bob')]).toEqual([4, 4]);
  });

  it('names the limit that leaves no call, and its period', async () => {
    const { budget, grant } = open(
      { UPSTREAM_CALLS_PER_MINUTE: 600, UPSTREAM_CALLS_PER_HOUR: 6_000 },
      { kinds: [{ name: 'poll', limitOf: 'live', callsPerMinute: 60 }] },
    );
    const limitOf = async (kind: string, caller?: string) =>
      (await budget.take(kind, caller))?.limit;
    await grant(1, 'read', 'bob');
    await grant(200, 'read', 'ann');
    await grant(200, 'poll');

    expect(await limitOf('read', 'ann')).toEqual({ of: 'caller', per: 'minute' });
    expect(await limitOf('poll')).toEqual({ of: 'live', per: 'minute' });
    await grant(200, 'read');
    expect(await limitOf('read')).toEqual({ of: 'gateway', per: 'minute' });
    const hourly = open({ UPSTREAM_CALLS_PER_HOUR: 600 });
    await hourly.grant(600, 'read');
    expect((await hourly.budget.take('read', undefined))?.limit).toEqual({
      of: 'gateway',
      per: 'hour',
    });
  });

  it('takes nothing from the minute for a call that the hour refuses', async () => {
    const { clock, grant } = open({ UPSTREAM_CALLS_PER_MINUTE: 60, UPSTREAM_CALLS_PER_HOUR: 600 });
    clock.ms = HOUR_MS;
    // Each caller uses up its share of the hour, and continues.
    for (; clock.ms < HOUR_MS + 600_000; clock.ms += 1_000)
      for (const one of ['ann', 'bob']) await grant(10, 'read', one);
    clock.ms += 8_000;
    for (const one of ['ann', 'bob']) await grant(100, 'write', one);

    expect(await grant(1, 'read', 'eve')).toBe(1);
  });

  it.each([
    ['within that of all reads', 600, 150, [25, 55, 10]],
    ['also where nothing else has a limit', undefined, 60, [10, 200, 200]],
  ])(
    'gives a kind of reads a share of its own, %s',
    async (_where, calls, callsPerMinute, granted) => {
      const { grant } = open(calls, { kinds: [{ name: 'poll', limitOf: 'live', callsPerMinute }] });

      expect([
        await grant(200, 'poll'),
        await grant(200, 'read'),
        await grant(200, 'write'),
      ]).toEqual(granted);
    },
  );

  it.each([6, 10, 12, 60])(
    'of %i is exceeded by at most a sixth within any 60 seconds',
    async (calls) => {
      const call = fc.tuple(fc.nat(500), fc.constantFrom('renewal', 'read', 'write', 'sign-in'));
      await fc.assert(
        fc.asyncProperty(fc.array(call, { maxLength: 3_000 }), async (asked) => {
          const { clock, budget } = open(calls);
          const atMs: number[] = [];
          for (const [passMs, kind] of asked) {
            clock.ms += passMs;
            if ((await budget.take(kind, undefined)) === undefined) atMs.push(clock.ms);
          }

          for (const startMs of atMs) {
            expect(
              atMs.filter((ms) => ms >= startMs && ms < startMs + 60_000).length,
            ).toBeLessThanOrEqual((7 / 6) * calls);
          }
        }),
        { numRuns: 20 },
      );
    },
  );
});

const HOUR_MS = 3_600_000;
const LIMITS = [
  { calls: 360, limits: { UPSTREAM_CALLS_PER_MINUTE: 6 } },
  { calls: 600, limits: { UPSTREAM_CALLS_PER_MINUTE: 10 } },
  { calls: 100, limits: { UPSTREAM_CALLS_PER_HOUR: 100 } },
  { calls: 1_000, limits: { UPSTREAM_CALLS_PER_HOUR: 1_000 } },
  { calls: 10_000, limits: { UPSTREAM_CALLS_PER_HOUR: 10_000 } },
  { calls: 100, limits: { UPSTREAM_CALLS_PER_MINUTE: 60, UPSTREAM_CALLS_PER_HOUR: 100 } },
];
/** Live queries use a quarter of the stricter limit. */
const pollsOf = (limits: Limits): ReadKind[] => [
  { name: 'poll', limitOf: 'live', callsPerMinute: (stricterOf(limits) ?? 0) / 4 },
];

describe.each(LIMITS)('a budget of $limits', ({ calls, limits }) => {
  it('is exceeded by at most a sixth within any hour, however much is asked', async () => {
    const { clock, grant } = open(limits, { kinds: pollsOf(limits) });
    const stepMs = 5_000;
    const granted: number[] = [];
    for (; clock.ms < 3 * HOUR_MS; clock.ms += stepMs) {
      // Bursts at the start, and after half an hour without calls.
      const isIdle = clock.ms > HOUR_MS && clock.ms < 1.5 * HOUR_MS;
      const kinds = isIdle ? [] : ['renewal', 'read', 'poll', 'write', 'sign-in'];
      let all = 0;
      for (const kind of kinds) all += await grant(Number.POSITIVE_INFINITY, kind);
      granted.push(all);
    }

    const steps = HOUR_MS / stepMs;
    const hours = granted.map((_, from) =>
      granted.slice(from, from + steps).reduce((sum, one) => sum + one, 0),
    );
    expect(Math.max(...hours)).toBeLessThanOrEqual((7 / 6) * calls);
    expect(granted.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(2 * calls);
  });

  it('has a read for another caller soon after a burst, and for the same one in twice that time', async () => {
    const { clock, grant } = open(limits, { kinds: pollsOf(limits) });
    clock.ms = HOUR_MS;
    const soonMs = (HOUR_MS / calls) * 2;
    for (const caller of ['ann', 'bob', 'eve']) await grant(calls, 'read', caller);

    clock.ms += soonMs;
    const other = await grant(1, 'read', 'joe');
    clock.ms += 10 * soonMs;
    await grant(calls, 'read', 'ann');
    clock.ms += 2 * soonMs;

    expect([other, await grant(1, 'read', 'ann')]).toEqual([1, 1]);
  });

  it('has a renewal of the token when all else is used up', async () => {
    const { grant } = open(limits, { kinds: pollsOf(limits) });
    for (const kind of ['read', 'poll', 'write', 'sign-in']) await grant(calls, kind);

    expect([await grant(1, 'read'), await grant(1, 'renewal')]).toEqual([0, 1]);
  });
});

describe('an hour’s budget', () => {
  it('begins full, with a sixth of the hour', async () => {
    const { grant } = open({ UPSTREAM_CALLS_PER_HOUR: 6_000 });

    expect((await grant(2_000, 'write')) + (await grant(2_000, 'sign-in'))).toBe(999);
  });

  it('takes nothing from a caller whose share is used up by others', async () => {
    const { clock, grant } = open({ UPSTREAM_CALLS_PER_HOUR: 600 });
    clock.ms = HOUR_MS;
    await grant(600, 'read');
    await grant(600, 'read', 'ann');

    clock.ms += 60_000;

    expect(await grant(600, 'read', 'ann')).toBe(8);
  });

  it('returns the time until the next call', async () => {
    const { clock, budget, grant } = open({ UPSTREAM_CALLS_PER_HOUR: 3_600 });
    await grant(600, 'read');

    const waitMs = Math.ceil((await budget.take('read', undefined))?.waitMs ?? 0);
    clock.ms += waitMs;

    expect([waitMs <= 1_250, await grant(1, 'read')]).toEqual([true, 1]);
  });
});

describe('a reserve', () => {
  const BOTH = { UPSTREAM_CALLS_PER_MINUTE: 120, UPSTREAM_CALLS_PER_HOUR: 3_600 };
  it.each<[string, Limits, number]>([
    ['of a minute', { UPSTREAM_CALLS_PER_MINUTE: 60 }, 60],
    ['of an hour', { UPSTREAM_CALLS_PER_HOUR: 3_600 }, 60],
    ['of both', BOTH, 60],
  ])(
    'answers a request every two seconds beside a batch that takes all it gets, from a budget %s',
    async (_what, limits, budgetPerMinute) => {
      const { clock, grant } = open(limits, { reserve: { portal: 30 } });
      let answered = 0;
      let batch = 0;
      const minutes = 120;

      for (; clock.ms < minutes * 60_000; clock.ms += 250) {
        batch += await grant(1_000, 'read', 'nightly');
        batch += await grant(1_000, 'write', 'nightly');
        if (clock.ms % 2_000 === 0) answered += await grant(1, 'read', 'web', 'portal');
      }

      expect(answered).toBe(minutes * 30);
      // The batch gets the rest of the reads and writes, which are nine tenths.
      const rest = 0.9 * budgetPerMinute - 30;
      expect(batch / minutes).toBeGreaterThan(0.9 * rest);
      expect(batch / minutes).toBeLessThan(1.2 * rest);
    },
  );

  it('is for writes too, and for the second caller of its role', async () => {
    const { grant } = open(600, { reserve: { portal: 60 } });
    await grant(200, 'read', 'nightly');
    await grant(200, 'write', 'nightly');

    expect([
      await grant(5, 'write', 'web', 'portal'),
      await grant(5, 'read', 'mobile', 'portal'),
      await grant(5, 'read', 'web', 'portal'),
    ]).toEqual([5, 5, 0]);
  });

  it('leaves other callers the budget without its unused calls, and all of it when it is used', async () => {
    const { clock, grant } = open(600, { reserve: { portal: 120 } });

    // Of eighty reads at once, a sixth of the reserve stays.
    expect(await grant(200, 'read', 'nightly')).toBe(60);
    expect(await grant(200, 'read', 'web', 'portal')).toBe(20);
    clock.ms = 3_600_000;
    await grant(20, 'read', 'web', 'portal');
    expect(await grant(200, 'read', 'nightly')).toBe(40);
    expect(await grant(200, 'read', 'other')).toBe(20);
  });

  it('of one role is not for another role', async () => {
    const { grant } = open(600, { reserve: { portal: 60, shop: 120 } });
    await grant(200, 'read', 'nightly');

    expect([
      await grant(100, 'read', 'web', 'portal'),
      await grant(100, 'read', 'kiosk', 'shop'),
    ]).toEqual([10, 20]);
  });

  it('may belong to a role of any name', async () => {
    const { grant } = open(600, { reserve: { renewal: 60 } });

    expect([
      await grant(200, 'read', 'nightly'),
      await grant(200, 'read', 'web', 'renewal'),
    ]).toEqual([70, 10]);
  });

  it('stays when the reserve of another role is in debt, as a standalone replica may leave it', () => {
    const clock = { ms: 0 };
    const buckets = createMemoryBuckets(() => clock.ms);
    const bucket = (name: string, max: number, keeps: readonly Bucket[] = []): Bucket => ({
      name,
      limit: { of: 'gateway', per: 'minute' },
      max,
      least: 0,
      callsPerMs: 1e-9,
      keeps,
    });
    const small = bucket('small', 1);
    const large = bucket('large', 10);
    const all = bucket('all', 30, [small, large]);
    buckets.set(small, -2);

    let others = 0;
    while (buckets.take([all]) === undefined) others++;

    expect(others).toBe(20);
  });

  it('lasts until it is replaced', async () => {
    const { budget, grant } = open(600, { reserve: { portal: 60 } });
    budget.reserve(new Map());

    expect(await grant(200, 'read', 'nightly')).toBe(80);
  });

  it('does not keep the gateway from the renewal of its token', async () => {
    const { grant } = open(24, { reserve: { portal: 12 } });
    await grant(200, 'read', 'nightly');
    await grant(200, 'write', 'nightly');

    expect(await grant(1, 'renewal')).toBe(1);
  });

  it.each([24, 60, 600])(
    'of half of %i leaves calls for others, whoever comes first',
    async (calls) => {
      const { clock, grant } = open(calls, { reserve: { portal: calls / 2 } });
      let others = 0;
      let reserved = 0;
      const minutes = 60;

      for (; clock.ms < minutes * 60_000; clock.ms += 500) {
        others += await grant(1_000, 'read', 'nightly');
        reserved += await grant(1_000, 'read', 'web', 'portal');
      }

      expect(reserved / minutes).toBeGreaterThanOrEqual(calls / 2);
      expect(others / minutes).toBeGreaterThan(calls / 5);
      expect((reserved + others) / minutes).toBeLessThanOrEqual(calls);
    },
  );
});

describe('a call beyond the budget', () => {
  // With a set clock, so that no call becomes available while a busy machine repeats others.
  const SIXTY = () => createCallBudget({ UPSTREAM_CALLS_PER_MINUTE: 60 }, [], undefined, () => 0);
  const FORM = { status: 200, body: { idForm: 'a' } };

  it('is counted for retries, and for the repeat after a 401', async () => {
    const { readForm, requests } = await openPlatform({ status: 500 }, { callBudget: SIXTY() });

    const errors = await Promise.all(Array.from({ length: 8 }, () => failureOf(readForm())));

    expect(requests).toHaveLength(8);
    expect(errors.filter(({ failure }) => failure === 'rate-limited').length).toBeGreaterThan(0);
  });

  it('is never the gateway’s own sign-in, however many strangers sign in', async () => {
    const { factory, readForm } = await openPlatform(FORM, { callBudget: SIXTY() });
    const signIns = await Promise.allSettled(
      Array.from({ length: 5 }, () => factory.signIn(CREDENTIALS.B)),
    );

    const form = await readForm();

    expect(signIns.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(form).toMatchObject({ record: { formId: 'a' } });
  });
});
