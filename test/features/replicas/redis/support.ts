import { onTestFinished } from 'vitest';
import { createLog } from '../../../../src/core/log.ts';
import { createReplicas, type Replicas } from '../../../../src/features/replicas/replicas.ts';

interface ReplicaOptions {
  readonly key?: Uint8Array;
  /** Patient unless the test is about time: a busy machine is no slow Redis. */
  readonly timeoutMs?: number;
  readonly pauseMs?: number;
  /** Prepares what listens, before the replica connects. */
  readonly prepare?: (replica: Replicas) => void;
}

/** Opens one replica of those before a platform, and what it logs; it ends with the test. */
export async function openReplica(url: string, options: ReplicaOptions = {}) {
  const { key = Buffer.alloc(32, 7), timeoutMs = 5_000, pauseMs = 100, prepare } = options;
  const logged: string[] = [];
  const write = (line: string) => {
    const { msg, reason } = JSON.parse(line);
    logged.push(reason === undefined ? msg : `${msg} (${reason})`);
  };
  const log = createLog('info', { write });
  const platformUrl = 'https://platform.example';
  const replica = createReplicas({
    platformUrl,
    url,
    keys: [key],
    log,
    facts: { gauges: [], readiness: [], status: [] },
    timeoutMs,
    pauseMs,
  });
  onTestFinished(replica.close);
  prepare?.(replica);
  await replica.open();
  return { ...replica, logged };
}
