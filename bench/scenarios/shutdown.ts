import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { GATEWAY_LIMITS } from '../../src/config/config.ts';

import { type Benchmark, counted, timed } from '../benchmark.ts';
import { closedLoop, runLoad } from '../load/index.ts';
import type { Platform } from '../platform/index.ts';
import { type Gateway, type TestBed, withTestBed } from '../test-bed.ts';

const CLIENTS = 40;
const HANGING = 20;
/** Long enough for a busy machine. */
const HANGING_WITHIN_MS = 30_000;

/** Counts requests that fail while gateways are replaced one after the other. */
export const restart: Benchmark = {
  name: 'restart',
  about: 'rolling restarts by SIGTERM under 40 kept-alive clients, two gateways behind a balancer',
  run: ({ isShort }) =>
    withTestBed(async (bed) => {
      const gateways = [await bed.startGateway(), await bed.startGateway()];
      const balancer = await startBalancer(gateways);
      const restarts = isShort ? 2 : 6;
      const minRequests = isShort ? 0 : 25_000;
      let isLoaded = true;
      const load = runLoad(closedLoop(CLIENTS), {
        port: balancer.port,
        durationMs: isShort ? 15_000 : 30_000,
        minRequests,
        // Slow responses are not failures. Only missing responses are.
        graceMs: 30_000,
      }).finally(() => {
        isLoaded = false;
      });
      await pause(500);
      const exits = await restartAll(
        bed,
        gateways,
        (done) => done < restarts || (isLoaded && !isShort),
      );
      const { requests, counts, codes, p99Ms } = await load;
      balancer.close();

      // An overload refusal is not a failed restart either.
      const overloaded = codes['OVERLOADED'] ?? 0;
      return [
        counted('restarts', exits.length, '', { atLeast: restarts }),
        counted('requests', requests, '', { atLeast: minRequests }),
        counted('failed requests', requests - counts.good - counts.late - overloaded, '', {
          atMost: 0,
        }),
        counted('of these resets', counts.reset, ''),
        counted('of these without a connection', counts.unreachable, ''),
        counted('of these never answered', counts.unanswered, ''),
        counted('of these with an error', counts.errored + counts.refused - overloaded, ''),
        timed('later than a second', counts.late, ''),
        timed('refused by overload', overloaded, '', { atMost: 0 }),
        counted('exit codes that are not 0', exits.filter(({ code }) => code !== 0).length, '', {
          atMost: 0,
        }),
        timed('longest exit', Math.max(...exits.map(({ tookMs }) => tookMs)), 'ms', {
          atMost: 25_000,
        }),
        timed('p99', p99Ms, 'ms'),
      ];
    }),
};

/** Stops a gateway while its requests wait for a platform that does not answer. */
export const shutdown: Benchmark = {
  name: 'shutdown',
  about: 'SIGTERM while requests hang: responses and the time until the gateway ends',
  run: () =>
    withTestBed(async ({ platform, startGateway }) => {
      const gateway = await startGateway({ UPSTREAM_TIMEOUT_MS: '120000' });
      const { port } = gateway;
      await runLoad(closedLoop(HANGING), { port, durationMs: 300 });
      platform.behave({ mode: 'hang' });
      const load = runLoad(closedLoop(HANGING), { port, durationMs: 500, graceMs: 60_000 });
      const hanging = await untilHanging(platform);
      const { code, tookMs } = await gateway.stop();
      const { counts } = await load;
      return [
        counted('requests that hang', hanging, '', { atLeast: HANGING }),
        counted('answered by an error in JSON', counts.errored + counts.refused, '', {
          atLeast: HANGING,
        }),
        counted('resets', counts.reset, '', { atMost: 0 }),
        counted('exit code', code ?? -1, '', { atLeast: 0, atMost: 0 }),
        // One more second for sending the last responses.
        timed('exit after', tookMs, 'ms', { atMost: GATEWAY_LIMITS.shutdownMs + 1_000 }),
      ];
    }),
};

/** Waits until all calls hang at the platform. Returns their number. */
async function untilHanging(platform: Platform): Promise<number> {
  const endMs = performance.now() + HANGING_WITHIN_MS;
  for (;;) {
    const { maxInFlight } = await platform.count();
    if (maxInFlight >= HANGING || performance.now() > endMs) return maxInFlight;
    await pause(50);
  }
}

async function startBalancer(gateways: readonly Gateway[]) {
  const ports = gateways.map(({ port }) => String(port));
  const child = fork(join(import.meta.dirname, 'balancer.ts'), ports, { execArgv: [] });
  const [port] = await once(child, 'message');
  return { port: Number(port), close: () => child.disconnect() };
}

async function restartAll(bed: TestBed, gateways: Gateway[], isNextDue: (done: number) => boolean) {
  const exits: { readonly code: number | null; readonly tookMs: number }[] = [];
  while (isNextDue(exits.length)) {
    const at = exits.length % gateways.length;
    const old = gateways[at];
    if (old === undefined) break;
    exits.push(await old.stop());
    gateways[at] = await bed.startGateway({}, { port: old.port });
    // The balancer has to find the new gateway before the next one ends.
    await pause(600);
  }
  return exits;
}
