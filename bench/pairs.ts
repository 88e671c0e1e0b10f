import { closedLoop, startLoadGenerator } from './load/index.ts';
import type { RequestTemplate } from './load/requests.ts';
import { exactProcessorTimeOf } from './process-usage.ts';
import type { Environment, Gateway, TestBed } from './test-bed.ts';

const CLIENTS = 8;
/** V8 optimizes code gradually, so each process first serves 10,000 requests as a warm-up. */
const LONG = { processes: 4, warmUps: 5, rounds: 5, requests: 2_000 };
const SHORT: typeof LONG = { processes: 1, warmUps: 1, rounds: 3, requests: 100 };

interface PairsOptions {
  readonly isShort: boolean;
  readonly request: RequestTemplate;
  /** Returns the settings to measure, for the gateway at `index`. */
  readonly settingsOf: (index: number) => Environment;
}

/**
 * Sends the same bursts of requests in turn to gateways with some settings and to gateways without
 * them. Processes of one program differ by a tenth, so there are several of each. The fastest burst
 * counts, because other programs on the machine only add time.
 *
 * @returns the CPU time of one response in microseconds, with the settings and without.
 */
export async function playPairs(bed: TestBed, { isShort, request, settingsOf }: PairsOptions) {
  const { processes, warmUps, rounds, requests: minRequests } = isShort ? SHORT : LONG;
  const generator = startLoadGenerator();
  const streams = [closedLoop(CLIENTS, request)];
  let failed = 0;
  let bursts = 0;
  const play = async ({ port, pid }: Gateway): Promise<number> => {
    const beforeMs = exactProcessorTimeOf(pid);
    // Every burst has its own request numbers.
    const from = bursts++ * 1_000_000;
    const job = { port, durationMs: 0, minRequests, streams, from, deadlineMs: 10_000 };
    const { requests = 0, counts } = (await generator.run(job)).streams[0] ?? {};
    failed += requests - (counts?.good ?? 0);
    return ((exactProcessorTimeOf(pid) - beforeMs) / requests) * 1_000;
  };
  try {
    bed.platform.behave({ delayMs: 0 });
    const gateways: {
      readonly isOn: boolean;
      readonly gateway: Gateway;
      readonly times: number[];
    }[] = [];
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
