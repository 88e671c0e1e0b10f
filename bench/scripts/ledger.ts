import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, timed } from '../benchmark.ts';
import { runOne } from '../load/index.ts';
import type { Stream } from '../load/job.ts';
import { CALLER, type Gateway } from '../stage/gateway.ts';
import { onStage, type Stage } from '../stage/index.ts';
import { readLedger } from '../upstream/ledger.ts';

const creations: Stream = {
  name: 'creations',
  operation: 'create',
  arrivals: { kind: 'closed', clients: 16 },
  headers: CALLER,
  prefix: 'change',
};

/** Ends that say that nothing was done. */
const UNDONE: readonly string[] = ['unreachable', 'OVERLOADED', 'UPSTREAM_UNAVAILABLE', 'SHUTTING_DOWN'];

/** Changes that were acknowledged and are not there, or took place twice, while everything is killed at random. */
export const ledger: Benchmark = {
  name: 'ledger',
  about: 'no acknowledged change lost and none done twice, while platform and gateway are killed at random',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const gateway = await stage.gateway({ DRAIN_DELAY_MS: '200' });
      const durationMs = isShort ? 6_000 : 60_000;
      const load = runOne(creations, { port: gateway.port, durationMs, isDetailed: true });
      const kills = await killAtRandom(stage, gateway, performance.now() + durationMs - 1_500);
      const { details, asked, counts } = await load;

      const { port } = await stage.gateway();
      const twice = runOne({ ...creations, operation: 'twice' }, { port, durationMs: durationMs / 3 });
      await killPlatform(stage, performance.now() + durationMs / 3 - 500);
      const repeated = await twice;

      const effects = readLedger(stage.upstream.ledgerFile);
      const idsOf = (isMeant: (end: string) => boolean) =>
        Object.keys(details).filter((id) => isMeant(details[id] ?? ''));
      const acknowledged = idsOf((end) => end === 'good' || end === 'late');
      const undone = idsOf((end) => UNDONE.includes(end));
      const unknown = idsOf((end) => end === 'OUTCOME_UNKNOWN');
      const took = (ids: readonly string[]) => ids.filter((id) => effects.has(id)).length;
      return [
        counted('platform killed (SIGKILL)', kills.platform, ''),
        counted('gateway restarted (SIGTERM)', kills.gateway, ''),
        counted('changes asked', asked, ''),
        counted('acknowledged', acknowledged.length, '', { atLeast: 1 }),
        counted('acknowledged, but not in the ledger', acknowledged.length - took(acknowledged), '', { atMost: 0 }),
        counted('asked twice with one key', repeated.asked / 2, ''),
        counted('in the ledger twice', [...effects.values()].filter((times) => times > 1).length, '', { atMost: 0 }),
        counted('said to be undone', undone.length, ''),
        counted('said to be undone, but in the ledger', took(undone), '', { atMost: 0 }),
        counted('OUTCOME_UNKNOWN', unknown.length, ''),
        counted('OUTCOME_UNKNOWN, in the ledger', took(unknown), ''),
        counted('resets of clients', counts.reset, ''),
        timed('other ends', asked - acknowledged.length - undone.length - unknown.length - counts.reset, ''),
      ];
    }),
};

async function killPlatform({ upstream }: Stage, untilMs: number): Promise<void> {
  while (performance.now() < untilMs) {
    await pause(300 + Math.random() * 600);
    await upstream.crash();
  }
}

async function killAtRandom(stage: Stage, first: Gateway, untilMs: number) {
  const kills = { platform: 0, gateway: 0 };
  let gateway = first;
  while (performance.now() < untilMs) {
    await pause(200 + Math.random() * 600);
    if (Math.random() < 0.7) {
      await stage.upstream.crash();
      kills.platform++;
    } else {
      const { port } = gateway;
      await gateway.stop();
      gateway = await stage.gateway({ DRAIN_DELAY_MS: '200' }, port);
      kills.gateway++;
    }
  }
  return kills;
}
