import { type Benchmark, counted, type Figure, timed } from '../benchmark.ts';
import { openLoop, runLoad } from '../load/index.ts';
import type { Behaviour } from '../platform/index.ts';
import { type TestBed, withTestBed } from '../test-bed.ts';

const RATE = 200;
/**
 * The number of retries that the retry budget allows at once. After them it allows one for every
 * ten calls.
 */
const BURST_OF_REPEATS = 10;

/** Counts calls to a platform that fails all of them. */
export const outage: Benchmark = {
  name: 'outage',
  about: 'calls to the platform for each request while the platform fails all of them',
  run: ({ isShort }) =>
    withTestBed(async (bed) => {
      const { port } = await bed.startGateway({ UPSTREAM_TIMEOUT_MS: '1000' });
      const figures: Figure[] = [];
      for (const mode of ['fail', 'reset', 'hang'] as const) {
        // Recent successes make a circuit breaker open later.
        await runLoad(openLoop(RATE), { port, durationMs: isShort ? 500 : 10_000 });
        figures.push(...(await measureOutage(mode, bed, port, isShort)));
      }
      return figures;
    }),
};

async function measureOutage(
  mode: Behaviour['mode'],
  { platform }: TestBed,
  port: number,
  isShort: boolean,
) {
  platform.behave({ mode });
  await platform.count();
  const first = await runLoad(openLoop(RATE), { port, durationMs: 2_000, graceMs: 100 });
  const firstCalls = (await platform.count()).calls;
  const rest = await runLoad(openLoop(RATE), { port, durationMs: isShort ? 500 : 13_000 });
  const calls = firstCalls + (await platform.count()).calls;

  platform.behave({ mode: 'answer' });
  const after = await runLoad(openLoop(RATE), { port, durationMs: isShort ? 1_000 : 2_000 });
  const requests = first.requests + rest.requests;
  const name = (what: string) => `${mode}: ${what}`;
  return [
    counted(name('requests, a call each'), requests, ''),
    counted(name('calls to the platform'), calls, ''),
    counted(name('calls for each request'), perRequest(calls, requests), '', { atMost: 1.1 }),
    counted(
      name('calls for each request, first two seconds'),
      perRequest(firstCalls, first.requests),
      '',
      {
        atMost: 1.1,
      },
    ),
    counted(name('good responses'), first.counts.good + rest.counts.good, '', { atMost: 0 }),
    timed(name('good responses per second after the outage'), after.goodBySecond.at(-1) ?? 0, '', {
      atLeast: RATE * 0.7,
    }),
  ];
}

const perRequest = (calls: number, requests: number): number =>
  Math.max(0, calls - BURST_OF_REPEATS) / requests;
