import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, timed } from '../benchmark.ts';
import { runOne } from '../load/index.ts';
import { startBalancer } from '../stage/balancer.ts';
import type { Gateway } from '../stage/gateway.ts';
import { onStage, type Stage } from '../stage/index.ts';
import { eagerPages } from './pages.ts';

const CLIENTS = 40;
/** Twice what the balancer takes to look, and a second. */
const ENV = { DRAIN_DELAY_MS: '1500' };

/** Requests that fail while gateways are replaced one after the other. */
export const restart: Benchmark = {
  name: 'restart',
  about: 'rolling restarts by SIGTERM under 40 kept-alive clients, two gateways behind a balancer',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const gateways = [await stage.gateway(ENV), await stage.gateway(ENV)];
      const balancer = await startBalancer(gateways.map(({ port }) => port));
      const restarts = isShort ? 2 : 6;
      const askAtLeast = isShort ? 0 : 25_000;
      let isAsking = true;
      const load = runOne(eagerPages(CLIENTS), {
        port: balancer.port,
        durationMs: isShort ? 7_000 : 30_000,
        askAtLeast,
        // A machine that is slow is no failed restart: only what never comes is lost.
        patienceMs: 30_000,
      });
      load.finally(() => {
        isAsking = false;
      });
      await pause(500);
      const exits = await restartAll(stage, gateways, (done) => done < restarts || (isAsking && !isShort));
      const { asked, counts, codes, p99Ms } = await load;
      balancer.close();

      // Too much work at once is the gate's affair, not the drain's; in a short run the machine may just be slow.
      const busy = codes['OVERLOADED'] ?? 0;
      return [
        counted('restarts', exits.length, '', { atLeast: restarts }),
        counted('requests', asked, '', { atLeast: askAtLeast }),
        counted('failed requests', asked - counts.good - counts.late - busy, '', { atMost: 0 }),
        counted('of these resets', counts.reset, ''),
        counted('of these without a connection', counts.unreachable, ''),
        counted('of these never answered', counts.unanswered, ''),
        counted('of these with an error', counts.errored + counts.refused - busy, ''),
        timed('later than a second', counts.late, ''),
        timed('refused as too much', busy, '', { atMost: 0 }),
        counted('exit codes that are not 0', exits.filter(({ code }) => code !== 0).length, '', { atMost: 0 }),
        timed('longest exit', Math.max(...exits.map(({ tookMs }) => tookMs)), 'ms', { atMost: 25_000 }),
        timed('p99 of the good', p99Ms, 'ms'),
      ];
    }),
};

async function restartAll(stage: Stage, gateways: Gateway[], isWanted: (done: number) => boolean) {
  const exits: { code: number | null; tookMs: number }[] = [];
  while (isWanted(exits.length)) {
    const at = exits.length % gateways.length;
    const old = gateways[at];
    if (old === undefined) break;
    exits.push(await old.stop());
    gateways[at] = await stage.gateway(ENV, old.port);
    // The balancer has to find the new one before the other may go.
    await pause(600);
  }
  return exits;
}
