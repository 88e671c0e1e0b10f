import { closedLoop, startLoadGenerator } from './load/index.ts';
import type { RequestTemplate } from './load/requests.ts';
import { exactProcessorTimeOf } from './process-usage.ts';
import type { Environment, Gateway, TestBed } from './test-bed.ts';

const CLIENTS = 8;
/** Code is optimized bit by bit while it runs: the first 10,000 requests show how far that is. */
const LONG = { processes: 4, warmUps: 5, rounds: 5, requests: 2_000 };
const SHORT: typeof LONG = { processes: 1, warmUps: 1, rounds: 3, requests: 100 };

interface PairsOptions {
  readonly isShort: boolean;
  readonly request: RequestTemplate;
  /** The settings that make the difference, for each of the gateways that have them. */
  readonly settingsOf: (index: number) => Environment;
}

/**
 * Plays the same bursts of requests to gateways with some settings and to gateways without them, in turns. Processes of one
 * program differ by a tenth, so there are several of each. The fastest burst counts: whatever else runs on the machine only ever
 * adds.
 *
 * @returns CPU time of one response in microseconds, with the settings and without.
 */
export async function playPairs(bed: TestBed, { isShort, request, settingsOf }: PairsOptions) {
  const { processes, warmUps, rounds, requests: minRequests } = isShort ? SHORT : LONG;
  const generator = startLoadGenerator();
  const streams = [closedLoop(CLIENTS, request)];
  let failed = 0;
  let bursts = 0;
  const play = async ({ port, pid }: Gateway): Promise<number> => {
    const beforeMs = exactProcessorTimeOf(pid);
    // The numbers of no two bursts are the same.
    const from = bursts++ * 1_000_000;
    const job = { port, durationMs: 0, minRequests, streams, from, deadlineMs: 10_000 };
    const { requests = 0, counts } = (await generator.run(job)).streams[0] ?? {};
    failed += requests - (counts?.good ?? 0);
    return ((exactProcessorTimeOf(pid) - beforeMs) / requests) * 1_000;
  };
  try {
    bed.platform.behave({ delayMs: 0 });
    const gateways: { readonly isOn: boolean; readonly gateway: Gateway; readonly times: number[] }[] = [];
    for (let index = 0; index < processes; index++) {
      gateways.push({ isOn: true, gateway: await bed.startGateway(settingsOf(index)), times: [] });
      gateways.push({ isOn: false, gateway: await bed.startGateway(), times: [] });
    }
    for (let round = -warmUps; round < rounds; round++) {
      for (const { gateway, times } of round % 2 === 0 ? gateways : gateways.toReversed()) {
        const time = await play(gateway);
        if (round >= 0) times.push(time);
      }
    }
    const fastest = (isOn: boolean) =>
      Math.min(...gateways.filter((one) => one.isOn === isOn).flatMap(({ times }) => times));
    await Promise.all(gateways.map(({ gateway }) => gateway.stop()));
    return { on: fastest(true), off: fastest(false), failed };
  } finally {
    generator.close();
  }
}
