import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

import type { Front } from './front.ts';
import { createFixedAnswer } from './server/fixed-answer.ts';

/** How a gateway stops. Both times count from the moment when it is told to. */
export interface DrainOptions {
  /** How long it goes on as before, so that balancers notice that it is not ready. */
  readonly delayMs: number;
  /** When work in flight is ended. */
  readonly timeoutMs: number;
}

interface Drained extends DrainOptions {
  readonly app: FastifyInstance;
  readonly front: Front;
}

/** How long the answers that say so may take to go out, once work is ended. */
const LAST_ANSWERS_MS = 1_000;

/**
 * Stops without losing a request: says that it is not ready and lets each client's connection go with its next answer,
 * then listens no more, waits for what is in flight, and ends what takes too long with an error in JSON.
 */
export async function drain({ app, front, delayMs, timeoutMs }: Drained): Promise<void> {
  const { lifecycle, lifetimes } = front;
  const endAtMs = performance.now() + timeoutMs;
  front.drain();
  if (app.server.listening) await sleep(Math.min(delayMs, timeoutMs));
  front.stopListening();
  const closed = app.close();

  const idle = Promise.all([lifecycle.idle(), lifetimes.idle()]);
  await waitFor(idle, endAtMs - performance.now());
  lifetimes.stop();
  await waitFor(idle, LAST_ANSWERS_MS);
  // What has not even arrived, or asks somebody that no signal reaches.
  for (const response of lifecycle.unanswered()) stopping().send(response, true);
  setImmediate(front.close);
  await closed;
}

const stopping = () =>
  createFixedAnswer({
    status: 503,
    code: 'SHUTTING_DOWN',
    message: 'The gateway stops; ask again, another one will answer.',
    retryable: true,
    headers: { 'retry-after': '1' },
  });

async function waitFor(work: Promise<unknown>, forMs: number): Promise<void> {
  const enough = new AbortController();
  const timer = sleep(Math.max(0, forMs), undefined, { signal: enough.signal }).catch(() => undefined);
  await Promise.race([work, timer]);
  enough.abort();
}
