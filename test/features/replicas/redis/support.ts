import { onTestFinished } from 'vitest';
import type { Facts } from '../../../../src/core/facts.ts';
import { createLog } from '../../../../src/core/log.ts';
import { createReplicas } from '../../../../src/features/replicas/replicas.ts';

interface ReplicaOptions {
  readonly key?: Uint8Array;
  /** Patient unless the test is about time: a busy machine is no slow Redis. */
  readonly timeoutMs?: number;
  readonly pauseMs?: number;
  /** Prepares what listens, before the replica connects. */
  readonly prepare?: (replica: ReturnType<typeof createReplicas>) => void;
}

/** Opens a replica, and records its log and whether it uses Redis. It closes when the test ends. */
export async function openReplica(url: string, options: ReplicaOptions = {}) {
  const { key = Buffer.alloc(32, 7), timeoutMs = 5_000, pauseMs = 100, prepare } = options;
  const logged: string[] = [];
  const lines: string[] = [];
  const write = (line: string) => {
    lines.push(line);
    const { msg, reason } = JSON.parse(line);
    logged.push(reason === undefined ? msg : `${msg} (${reason})`);
  };
  const log = createLog('info', { write });
  const facts: Facts = { gauges: [], readiness: [], status: [] };
  const platformUrl = 'https://platform.example';
  const replica = createReplicas({
    platformUrl,
    url,
    keys: [key],
    log,
    facts,
    timeoutMs,
    pauseMs,
  });
  onTestFinished(replica.close);
  prepare?.(replica);
  await replica.open();
  return {
    ...replica,
    logged,
    lines,
    /** Reads a figure by its name. */
    readGauge: (name: string) => facts.gauges.find((gauge) => gauge.name === name)?.read(),
    isSharing: async () => (await facts.readiness[0]?.read()) === 'ok',
  };
}
