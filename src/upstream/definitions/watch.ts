import { setTimeout as sleep } from 'node:timers/promises';
import type { DefinitionReader, DefinitionSet } from './reader.ts';

interface WatchOptions {
  readonly definitions: DefinitionReader;
  /** How often they are read, in milliseconds; 0: until it succeeds once. */
  readonly everyMs: number;
  /** Whether they were read already. */
  readonly isKnown: boolean;
  readonly onRead: (definitions: DefinitionSet) => Promise<void>;
  readonly onFailed: (error: unknown) => void;
  /** From 0 up to 1, so that replicas which start together do not ask together. */
  readonly random?: () => number;
}

/** How soon a first read that failed is tried again, at first and at last. */
const RETRY_FROM_MS = 1_000;
const RETRY_TO_MS = 60_000;
/** How much of the time between two rounds the reading of forms one by one is spread over. */
const SPREAD_SHARE = 0.5;
/** A pause is this much shorter or longer, by chance. */
const JITTER = 0.1;

/** Reads definitions again and again until it is stopped. Its timers keep no process alive. */
export function watchDefinitions(options: WatchOptions): { stop(): void } {
  const { definitions, everyMs, onRead, onFailed, random = Math.random } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const pause = (ms: number) => sleep(ms * (1 + JITTER * (2 * random() - 1)), undefined, { signal, ref: false });

  const readOnce = async (spreadMs: number): Promise<boolean> => {
    try {
      await onRead(await definitions.read({ signal, spreadMs }));
      return true;
    } catch (error) {
      if (!signal.aborted) onFailed(error);
      return false;
    }
  };
  const untilKnown = async (): Promise<void> => {
    const longest = everyMs > 0 ? Math.min(everyMs, RETRY_TO_MS) : RETRY_TO_MS;
    let waitMs = Math.min(RETRY_FROM_MS, longest);
    do {
      await pause(waitMs);
      waitMs = Math.min(waitMs * 2, longest);
    } while (!(await readOnce(0)));
  };
  const run = async (): Promise<void> => {
    if (!options.isKnown) await untilKnown();
    while (everyMs > 0) {
      await pause(everyMs);
      await readOnce(everyMs * SPREAD_SHARE);
    }
  };

  // Only `stop` ends it, by an AbortError.
  run().catch(() => undefined);
  return { stop: () => ending.abort() };
}
