import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, type Figure, timed } from '../benchmark.ts';
import { runLoad } from '../load/index.ts';
import { CALLER, type Gateway } from '../stage/gateway.ts';
import { onStage, type Stage } from '../stage/index.ts';
import type { Usage } from '../stage/usage.ts';
import type { Behaviour } from '../upstream/protocol.ts';
import { measureCapacity } from './capacity.ts';
import { pages } from './pages.ts';
import { slopePerMinute } from './slope.ts';

/** What the platform goes through, again and again: mostly well, and every fault for a moment. */
const WEATHER: readonly (Partial<Behaviour> & { readonly forMs: number })[] = [
  { mode: 'answer', delayMs: 20, forMs: 12_000 },
  { mode: 'fail', forMs: 1_000 },
  { mode: 'answer', delayMs: 20, forMs: 12_000 },
  { mode: 'reset', forMs: 1_000 },
  { mode: 'answer', delayMs: 200, forMs: 3_000 },
  { mode: 'hang', forMs: 1_000 },
];

interface Sample extends Usage {
  readonly atMs: number;
}

/** Memory and handles over a long time of mixed traffic. */
export const soak: Benchmark = {
  name: 'soak',
  about: 'ten minutes at 0.7x of reads, changes and faults with 256 MB of heap: memory, sockets and handles',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const gateway = await stage.gateway();
      const { port, isRunning } = gateway;
      const capacity = await measureCapacity(port, isShort);
      const durationMs = isShort ? 6_000 : 600_000;
      const reads = pages(capacity * 0.65);
      const changes = { ...pages(capacity * 0.05), name: 'changes', operation: 'create', headers: CALLER } as const;
      const load = runLoad({ port, durationMs, streams: [reads, changes], patienceMs: 500 });
      const [samples] = await Promise.all([watch(gateway, durationMs), play(stage, durationMs)]);
      const { streams } = await load;

      // What warms up in the first fifth is no leak.
      const settled = samples.slice(Math.floor(samples.length / 5));
      const asked = streams.reduce((sum, stream) => sum + stream.asked, 0);
      const good = streams.reduce((sum, stream) => sum + stream.counts.good, 0);
      return [
        timed('asked', asked, ''),
        timed('good', (good / asked) * 100, '%'),
        timed('RSS slope', slopeOf(settled), 'MB/min', { atMost: 1 }),
        timed('RSS slope of the second half', slopeOf(samples.slice(Math.floor(samples.length / 2))), 'MB/min'),
        ...atThirds(samples),
        timed('peak RSS', gateway.usage().peakRssMb, 'MB'),
        ...(await atRest(gateway)),
        counted('warnings of Node', gateway.warnings(), '', { atMost: 0 }),
        counted('gateways that ended', isRunning() ? 0 : 1, '', { atMost: 0 }),
      ];
    }),
};

const slopeOf = (samples: readonly Sample[]): number => slopePerMinute(samples.map(({ atMs, rssMb }) => [atMs, rssMb]));

async function play({ upstream }: Stage, durationMs: number): Promise<void> {
  const endMs = performance.now() + durationMs;
  for (let turn = 0; performance.now() < endMs; turn++) {
    const { forMs, ...behaviour } = WEATHER[turn % WEATHER.length] ?? { forMs: 0 };
    upstream.behave(behaviour);
    await pause(Math.min(forMs, endMs - performance.now()));
  }
  upstream.behave({ mode: 'answer', delayMs: 20 });
}

async function watch(gateway: Gateway, durationMs: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const startMs = performance.now();
  while (performance.now() < startMs + durationMs) {
    samples.push({ atMs: performance.now(), ...gateway.usage() });
    await pause(1_000);
  }
  return samples;
}

/** What was held after a fifth, three fifths and at the end: 2, 6 and 10 minutes of ten. */
function atThirds(samples: readonly Sample[]): Figure[] {
  return [0.2, 0.6, 1].flatMap((share) => {
    const sample = samples[Math.ceil(samples.length * share) - 1];
    if (sample === undefined) return [];
    const when = `after ${share * 100} %:`;
    return [timed(`${when} RSS`, sample.rssMb, 'MB'), timed(`${when} sockets`, sample.sockets, '')];
  });
}

/** What is held once nobody asks any more: no socket of a client, and no more to the platform than its pool has. */
async function atRest(gateway: Gateway): Promise<Figure[]> {
  await pause(2_000);
  const { sockets, handles } = gateway.usage();
  return [counted('sockets at rest', sockets, '', { atMost: 140 }), timed('handles at rest', handles, '')];
}
