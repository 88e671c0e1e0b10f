import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import { requestFor } from './raw-client.ts';

/** Clients on a thread of their own. */
export interface QueuedClients {
  readonly url: string;
  readonly count: number;
  /** What each sends as soon as it is connected. */
  readonly request: string;
  /** Whether they leave once they have sent it. */
  readonly areLeaving: boolean;
  /** Set to 1 when all have sent it, and have left if they do. */
  readonly sent: Int32Array;
}

/**
 * Has clients connect and send a request each while the event loop, which the gateway shares with the test, is blocked: so all
 * of them wait to be accepted.
 *
 * @returns what each receives until its connection is closed.
 */
export async function queueClients(
  clients: Pick<QueuedClients, 'url' | 'count' | 'areLeaving'>,
): Promise<readonly string[]> {
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const workerData: QueuedClients = { ...clients, request: requestFor('{ __typename }'), sent };
  const worker = new Worker(new URL('./queued-clients-worker.ts', import.meta.url), { workerData });
  const message = once(worker, 'message');
  if (Atomics.wait(sent, 0, 0, 20_000) === 'timed-out') throw new Error('the clients could not connect');
  const [received] = await message;
  return received;
}
