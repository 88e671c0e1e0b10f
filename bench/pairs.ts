import { closedLoop, type LoadGenerator, startLoadGenerator } from './load/index.ts';
import type { RequestTemplate } from './load/requests.ts';
import { exactProcessorTimeOf } from './process-usage.ts';
import type { Environment, Gateway, TestBed } from './test-bed.ts';

const CLIENTS = 8;
/** Processes of one program differ, so there are several pairs of them. */
const LONG = { pairs: 5, rounds: 4, requests: 500, warmUp: 1_000 };
const SHORT: typeof LONG = { pairs: 1, rounds: 3, requests: 100, warmUp: 100 };

/** CPU time of one response in microseconds, with a setting and without it, in two bursts that follow each other. */
export interface Pair {
  readonly on: number;
  readonly off: number;
}

interface PairsOptions {
  readonly isShort: boolean;
  readonly request: RequestTemplate;
  /** The settings that make the difference, for the given pair of gateways. */
  readonly settingsOf: (pair: number) => Environment;
}

/** Plays the same bursts of requests to gateways with some settings and to gateways without them, in turns. */
export async function playPairs(bed: TestBed, { isShort, request, settingsOf }: PairsOptions) {
  const schedule = isShort ? SHORT : LONG;
  const times: Pair[] = [];
  let failed = 0;
  const generator = startLoadGenerator();
  try {
    bed.platform.behave({ delayMs: 0 });
    for (let pair = 0; pair < schedule.pairs; pair++) {
      const gateways = { on: await bed.startGateway(settingsOf(pair)), off: await bed.startGateway() };
      const played = await playPair(generator, gateways, { ...schedule, request, pair });
      times.push(...played.times);
      failed += played.failed;
      await Promise.all([gateways.on.stop(), gateways.off.stop()]);
    }
  } finally {
    generator.close();
  }
  return { times, failed };
}

type Schedule = typeof LONG & { readonly request: RequestTemplate; readonly pair: number };

async function playPair(
  generator: LoadGenerator,
  { on, off }: Readonly<Record<keyof Pair, Gateway>>,
  { rounds, requests: minRequests, warmUp, request, pair }: Schedule,
) {
  let failed = 0;
  let bursts = pair * 2 * (rounds + 1);
  const streams = [closedLoop(CLIENTS, request)];
  const play = async ({ port, pid }: Gateway, atLeast = minRequests): Promise<number> => {
    const beforeMs = exactProcessorTimeOf(pid);
    // The numbers of no two bursts are the same.
    const from = bursts++ * 1_000_000;
    const job = { port, durationMs: 0, minRequests: atLeast, streams, from, deadlineMs: 10_000 };
    const { requests = 0, counts } = (await generator.run(job)).streams[0] ?? {};
    failed += requests - (counts?.good ?? 0);
    return ((exactProcessorTimeOf(pid) - beforeMs) / requests) * 1_000;
  };
  for (const gateway of [on, off]) await play(gateway, warmUp);
  const times: Pair[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0 ? on : off;
    const [one, other] = [await play(first), await play(first === on ? off : on)];
    times.push(first === on ? { on: one, off: other } : { on: other, off: one });
  }
  return { times, failed };
}
