import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, type Figure, slopePerMinute, timed } from '../benchmark.ts';
import { measureCapacity, openLoop, runStreams } from '../load/index.ts';
import { CREATION } from '../load/requests.ts';
import type { Behaviour, Platform } from '../platform/index.ts';
import type { ProcessUsage } from '../process-usage.ts';
import { socketsOf } from '../sockets.ts';
import { type Gateway, withTestBed } from '../test-bed.ts';
import { CONNECTIONS } from './slow-platform.ts';

/** The phases of the platform, repeated: it mostly works, and has every fault for a moment. */
const PHASES: readonly (Partial<Behaviour> & { readonly forMs: number })[] = [
  { mode: 'answer', delayMs: 20, forMs: 12_000 },
  { mode: 'fail', forMs: 1_000 },
  { mode: 'answer', delayMs: 20, forMs: 12_000 },
  { mode: 'reset', forMs: 1_000 },
  { mode: 'answer', delayMs: 200, forMs: 3_000 },
  { mode: 'hang', forMs: 1_000 },
];

/** The limit of connections for the gateway's own calls, for tokens and definitions. */
const OWN_CONNECTIONS = 8;
/** A busy gateway may notice late that clients have disconnected. */
const CLOSED_WITHIN_MS = 30_000;

type Sample = ProcessUsage & { readonly atMs: number };

/** Measures memory and handles during a long run of mixed traffic. */
export const soak: Benchmark = {
  name: 'soak',
  about:
    'ten minutes of reads, changes and faults at 0.7x of capacity: memory, sockets and handles',
  run: ({ isShort }) =>
    withTestBed(async ({ platform, startGateway }) => {
      const gateway = await startGateway();
      const { port, isRunning } = gateway;
      const capacity = await measureCapacity(port, isShort);
      const durationMs = isShort ? 6_000 : 600_000;
      const streams = [openLoop(capacity * 0.65), openLoop(capacity * 0.05, CREATION, 'change')];
      const load = runStreams(streams, { port, durationMs, graceMs: 500 });
      const [samples] = await Promise.all([
        sampleUsage(gateway, durationMs),
        playPhases(platform, durationMs),
      ]);
      const reports = (await load).streams;

      // Growth during the warm-up is not a leak.
      const settled = samples.slice(Math.floor(samples.length / 5));
      const requests = reports.reduce((sum, report) => sum + report.requests, 0);
      const good = reports.reduce((sum, { counts }) => sum + counts.good, 0);
      return [
        timed('requests', requests, ''),
        timed('good', (good / requests) * 100, '%'),
        timed('RSS slope', rssSlope(settled), 'MB/min', { atMost: 1 }),
        timed(
          'RSS slope of the second half',
          rssSlope(samples.slice(Math.floor(samples.length / 2))),
          'MB/min',
        ),
        ...formatSamples(samples),
        timed('peak RSS', gateway.usage().peakRssMb, 'MB'),
        ...(await measureRest(gateway)),
        counted('warnings of Node', gateway.warnings(), '', { atMost: 0 }),
        counted('gateways that ended', isRunning() ? 0 : 1, '', { atMost: 0 }),
      ];
    }),
};

const rssSlope = (samples: readonly Sample[]): number =>
  slopePerMinute(samples.map(({ atMs, rssMb }) => [atMs, rssMb]));

async function playPhases(platform: Platform, durationMs: number): Promise<void> {
  const endMs = performance.now() + durationMs;
  for (let turn = 0; performance.now() < endMs; turn++) {
    const { forMs, ...behaviour } = PHASES[turn % PHASES.length] ?? { forMs: 0 };
    platform.behave(behaviour);
    await pause(Math.min(forMs, endMs - performance.now()));
  }
  platform.behave({ mode: 'answer', delayMs: 20 });
}

async function sampleUsage(gateway: Gateway, durationMs: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const startMs = performance.now();
  while (performance.now() < startMs + durationMs) {
    samples.push({ atMs: performance.now(), ...gateway.usage() });
    await pause(1_000);
  }
  return samples;
}

/**
 * Creates figures of the usage after a fifth, three fifths and the whole run: after 2, 6 and 10 of
 * 10 minutes.
 */
function formatSamples(samples: readonly Sample[]): Figure[] {
  return [0.2, 0.6, 1].flatMap((share) => {
    const sample = samples[Math.ceil(samples.length * share) - 1];
    if (sample === undefined) return [];
    const when = `after ${share * 100} %:`;
    return [timed(`${when} RSS`, sample.rssMb, 'MB'), timed(`${when} sockets`, sample.sockets, '')];
  });
}

/**
 * Measures the usage after the load: no client connections, and only as many connections to the
 * platform as a caller and the gateway may have.
 */
async function measureRest({ port, usage }: Gateway): Promise<Figure[]> {
  const endMs = performance.now() + CLOSED_WITHIN_MS;
  while (socketsOf(port).accepted > 0 && performance.now() < endMs) await pause(100);
  const { accepted: clients, listening } = socketsOf(port);
  const { sockets, handles } = usage();
  const toPlatform = sockets - clients - listening;
  return [
    counted('connections of clients at rest', clients, '', { atMost: 0 }),
    counted('connections to the platform at rest', toPlatform, '', {
      atMost: CONNECTIONS + OWN_CONNECTIONS,
    }),
    timed('handles at rest', handles, ''),
  ];
}
