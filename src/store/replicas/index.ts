import type { Log } from '../../telemetry/log.ts';
import { createLink } from './link.ts';
import type { StoreKeys } from './seal.ts';

/** What the replicas in front of one platform share. */
export interface Replicas {
  /** Whether they share it now: while Redis does not answer, each goes on by itself. */
  isSharing(): boolean;
  /** Connects. Resolves when the first try has ended, however: nobody need wait for Redis to do their work. */
  open(): Promise<void>;
  close(): void;
}

interface ReplicasOptions {
  /** Of Redis or Valkey, with user and password. */
  readonly url: string;
  /** Seal what lies there. */
  readonly keys: StoreKeys;
  /** How long one command may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/** Makes what one replica shares with the others. */
export function createReplicas({ url, timeoutMs, log }: ReplicasOptions): Replicas {
  const link = createLink({ url, timeoutMs, log });
  return { isSharing: link.isUp, open: link.open, close: link.close };
}
