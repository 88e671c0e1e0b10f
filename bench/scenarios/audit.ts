import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Benchmark, counted, median, timed } from '../benchmark.ts';
import { closedLoop, type LoadGenerator, startLoadGenerator } from '../load/index.ts';
import { KEYED_CREATION } from '../load/requests.ts';
import { exactProcessorTimeOf } from '../process-usage.ts';
import { type Gateway, type TestBed, withTestBed } from '../test-bed.ts';

const CLIENTS = 8;
/** Processes of one program differ, so there are several pairs of them. */
const LONG = { pairs: 5, rounds: 4, writes: 500, warmUp: 1_000 };
const SHORT: typeof LONG = { pairs: 1, rounds: 3, writes: 100, warmUp: 100 };

/** What the audit costs a write. */
export const audit: Benchmark = {
  name: 'audit',
  about: 'CPU time of a write with an idempotency key, with the audit on and off',
  run: ({ isShort }) =>
    withTestBed(async (bed) => {
      bed.platform.behave({ delayMs: 0 });
      const generator = startLoadGenerator();
      try {
        const { pairs, ...schedule } = isShort ? SHORT : LONG;
        const played = [];
        for (let pair = 0; pair < pairs; pair++) played.push(await playPair(bed, generator, { pair, ...schedule }));
        const all = played.flatMap(({ times }) => times);
        const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
        const made = bed.platform.effects().size;
        return [
          timed('CPU time of a write without the audit', median(all.map(({ off }) => off)), 'µs'),
          timed('CPU time of a write with the audit', median(all.map(({ on }) => on)), 'µs'),
          timed('more with the audit, median of the pairs', median(all.map(({ on, off }) => on - off)), 'µs', {
            atMost: 30,
          }),
          counted('writes', made, ''),
          counted('writes that failed', sum(played.map(({ failed }) => failed)), '', { atMost: 0 }),
          counted('audited writes', sum(played.map(({ audited }) => audited)), '', { atLeast: made / 2 }),
        ];
      } finally {
        generator.close();
      }
    }),
};

interface PairOptions extends Omit<typeof LONG, 'pairs'> {
  readonly pair: number;
}

/** Plays rounds of as many writes to a gateway with the audit and to one without, in turns. */
async function playPair(bed: TestBed, generator: LoadGenerator, { pair, rounds, writes, warmUp }: PairOptions) {
  const file = join(bed.folder, `audit-${pair}`);
  const [on, off] = [await bed.startGateway({ AUDIT_FILE: file }), await bed.startGateway()];
  let failed = 0;
  let bursts = pair * 2 * (rounds + 1);
  /** Gives the CPU time of a write in microseconds. */
  const play = async ({ port, pid }: Gateway, minRequests: number): Promise<number> => {
    const beforeMs = exactProcessorTimeOf(pid);
    const streams = [closedLoop(CLIENTS, KEYED_CREATION)];
    // The ids of no two bursts are the same.
    const from = bursts++ * 1_000_000;
    const report = await generator.run({ port, durationMs: 0, minRequests, streams, from, deadlineMs: 10_000 });
    const { requests = 0, counts } = report.streams[0] ?? {};
    failed += requests - (counts?.good ?? 0);
    return ((exactProcessorTimeOf(pid) - beforeMs) / requests) * 1_000;
  };
  for (const gateway of [on, off]) await play(gateway, warmUp);
  const times: { readonly on: number; readonly off: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0 ? on : off;
    const [one, other] = [await play(first, writes), await play(first === on ? off : on, writes)];
    times.push(first === on ? { on: one, off: other } : { on: other, off: one });
  }
  await Promise.all([on.stop(), off.stop()]);
  const audited = readFileSync(file, 'utf8').match(/"event":"done"/g)?.length ?? 0;
  return { times, failed, audited };
}
