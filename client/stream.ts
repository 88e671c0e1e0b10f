import { errorsOf } from './errors.ts';
import { readEvents } from './events.ts';
import { type GraphqlResponse, parseResponse, RequestError } from './response.ts';
import { backoffMs, sleep } from './retry.ts';

/** Receives the results of a subscription. */
export interface Listener {
  next(response: GraphqlResponse): void;
  /** Called when the gateway refuses the subscription, which ends it. */
  error(error: unknown): void;
  /** Called when the gateway ends the subscription. */
  complete(): void;
  /** Called when a lost stream is opened again. The first result is the present state. */
  reconnecting?(): void;
}

/**
 * Reads a stream until it ends or is refused, and opens it again if it is lost.
 *
 * @param open sends the subscription.
 */
export async function runStream(
  open: () => Promise<Response>,
  listener: Listener,
  signal: AbortSignal,
): Promise<void> {
  let attempts = 0;
  const next = (response: GraphqlResponse) => {
    attempts = 0;
    listener.next(response);
  };
  while (!signal.aborted) {
    try {
      if (await readStream(await open(), next, signal)) return listener.complete();
    } catch (error) {
      if (!signal.aborted && isRefused(error)) return listener.error(error);
    }
    if (signal.aborted) return;
    attempts += 1;
    listener.reconnecting?.();
    await sleep(backoffMs(attempts), signal);
  }
}

/**
 * Reads the results of one stream. Returns whether the gateway has ended the subscription.
 *
 * @throws {RequestError} if the response is no stream.
 */
async function readStream(
  response: Response,
  next: (response: GraphqlResponse) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const { status, headers, body } = response;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream || !body)
    throw new RequestError(status, parseResponse(await response.text()) ?? {});

  for await (const { event, data } of readEvents(body)) {
    if (signal.aborted) return false;
    if (event === 'complete') return true;
    if (event === 'next') next(JSON.parse(data));
  }
  return false;
}

/** Returns whether opening a stream again would be refused again. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false;
  const isTransient = error.status === 429 || error.status >= 500;
  return !isTransient && errorsOf(error).every(({ extensions }) => extensions?.retryable !== true);
}
