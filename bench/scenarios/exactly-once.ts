import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, timed } from '../benchmark.ts';
import { closedLoop, runLoad } from '../load/index.ts';
import { CREATION, CREATION_TWICE } from '../load/requests.ts';
import type { Platform } from '../platform/index.ts';
import { type Gateway, type TestBed, withTestBed } from '../test-bed.ts';

/** Outcomes that promise that nothing was changed. */
const UNDONE: readonly string[] = [
  'unreachable',
  'OVERLOADED',
  'UPSTREAM_UNAVAILABLE',
  'SHUTTING_DOWN',
];
const CLIENTS = 16;

/**
 * Counts creations that were acknowledged and lost, or took effect twice, while processes are
 * killed at random.
 */
export const exactlyOnce: Benchmark = {
  name: 'exactly-once',
  about: 'lost and repeated changes while the platform and the gateway are killed at random',
  run: ({ isShort }) =>
    withTestBed(async (bed) => {
      const gateway = await bed.startGateway();
      const durationMs = isShort ? 9_000 : 60_000;
      const load = runLoad(closedLoop(CLIENTS, CREATION), {
        port: gateway.port,
        durationMs,
        isDetailed: true,
      });
      const kills = await killAtRandom(bed, gateway, performance.now() + durationMs - 1_500);
      const { outcomes, requests, counts } = await load;

      const { port } = await bed.startGateway();
      const twice = runLoad(closedLoop(CLIENTS, CREATION_TWICE), {
        port,
        durationMs: durationMs / 3,
      });
      await crashRepeatedly(bed.platform, performance.now() + durationMs / 3 - 500);
      const repeated = await twice;

      const effects = bed.platform.effects();
      const idsOf = (matches: (outcome: string) => boolean) =>
        Object.keys(outcomes).filter((id) => matches(outcomes[id] ?? ''));
      const acknowledged = idsOf((outcome) => outcome === 'good' || outcome === 'late');
      const undone = idsOf((outcome) => UNDONE.includes(outcome));
      const unknown = idsOf((outcome) => outcome === 'OUTCOME_UNKNOWN');
      const known = acknowledged.length + undone.length + unknown.length;
      const repeatedIds = [...effects.values()].filter((times) => times > 1);
      const done = (ids: readonly string[]) => ids.filter((id) => effects.has(id)).length;
      return [
        counted('platform killed (SIGKILL)', kills.platform, ''),
        counted('gateway restarted (SIGTERM)', kills.gateway, ''),
        counted('changes requested', requests, ''),
        counted('acknowledged', acknowledged.length, '', { atLeast: 1 }),
        counted('acknowledged, but not done', acknowledged.length - done(acknowledged), '', {
          atMost: 0,
        }),
        counted('requested twice with one key', repeated.requests / 2, ''),
        counted('done twice', repeatedIds.length, '', { atMost: 0 }),
        counted('reported as not done', undone.length, ''),
        counted('reported as not done, but done', done(undone), '', { atMost: 0 }),
        counted('OUTCOME_UNKNOWN', unknown.length, ''),
        counted('OUTCOME_UNKNOWN, done', done(unknown), ''),
        counted('connections reset', counts.reset, ''),
        timed('other outcomes', requests - known - counts.reset, ''),
      ];
    }),
};

async function crashRepeatedly(platform: Platform, untilMs: number): Promise<void> {
  while (performance.now() < untilMs) {
    await pause(300 + Math.random() * 600);
    await platform.crash();
  }
}

async function killAtRandom(bed: TestBed, first: Gateway, untilMs: number) {
  const kills = { platform: 0, gateway: 0 };
  let gateway = first;
  while (performance.now() < untilMs) {
    await pause(200 + Math.random() * 600);
    if (Math.random() < 0.8) {
      await bed.platform.crash();
      kills.platform++;
    } else {
      const { port } = gateway;
      await gateway.stop();
      gateway = await bed.startGateway({}, { port });
      kills.gateway++;
    }
  }
  return kills;
}
