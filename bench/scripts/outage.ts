import { type Benchmark, counted, type Figure, timed } from '../benchmark.ts';
import { runOne } from '../load/index.ts';
import { onStage, type Stage } from '../stage/index.ts';
import type { Behaviour } from '../upstream/protocol.ts';
import { pages } from './pages.ts';

const RATE = 200;
const FIRST_MS = 2_000;

/** Calls that a platform gets while it can answer none. */
export const outage: Benchmark = {
  name: 'outage',
  about: 'calls to the platform for each call that was asked, while it fails all of them',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const { port } = await stage.gateway({ UPSTREAM_TIMEOUT_MS: '1000', UPSTREAM_TRY_TIMEOUT_MS: '500' });
      const figures: Figure[] = [];
      for (const mode of ['fail', 'reset', 'hang'] as const) {
        // What went well just before is what makes a breaker hesitate.
        await runOne(pages(RATE), { port, durationMs: isShort ? 500 : 10_000 });
        figures.push(...(await sufferFrom(mode, stage, port, isShort)));
      }
      return figures;
    }),
};

async function sufferFrom(mode: Behaviour['mode'], { upstream }: Stage, port: number, isShort: boolean) {
  upstream.behave({ mode });
  await upstream.count();
  const first = await runOne(pages(RATE), { port, durationMs: FIRST_MS, patienceMs: 100 });
  const firstCalls = (await upstream.count()).calls;
  const rest = await runOne(pages(RATE), { port, durationMs: isShort ? 500 : 13_000 });
  const calls = firstCalls + (await upstream.count()).calls;

  upstream.behave({ mode: 'answer' });
  const after = await runOne(pages(RATE), { port, durationMs: isShort ? 1_000 : 2_000 });
  const asked = first.asked + rest.asked;
  return [
    counted(`${mode}: calls asked`, asked, ''),
    counted(`${mode}: calls to the platform`, calls, ''),
    counted(`${mode}: amplification`, calls / asked, '', { atMost: 1.1 }),
    counted(`${mode}: amplification of the first two seconds`, firstCalls / first.asked, '', { atMost: 1.1 }),
    counted(`${mode}: answered well`, first.counts.good + rest.counts.good, '', { atMost: 0 }),
    timed(
      `${mode}: answered well once it is over, in the ${isShort ? 'first' : 'second'} second`,
      after.seconds[isShort ? 0 : 1]?.good ?? 0,
      '',
      {
        atLeast: RATE * 0.7,
      },
    ),
  ];
}
