import type { ServerResponse } from 'node:http';

import { Ending } from '../upstream/ending.ts';

/** The lives of all requests that are being worked on. */
export interface Lifetimes {
  /**
   * Gives the signal of one request, which aborts when its client is gone, when its time is up, or when the gateway
   * stops, whichever comes first. Its reason is an `Ending` that says which.
   */
  begin(response: ServerResponse): AbortSignal;
  /** Ends all requests that are being worked on. */
  stop(): void;
}

/** @param timeoutMs how long a request may be worked on. */
export function createLifetimes(timeoutMs: number): Lifetimes {
  const lives = new Set<AbortController>();

  return {
    begin(response) {
      const life = new AbortController();
      lives.add(life);
      const timer = setTimeout(() => life.abort(new Ending('timeout')), timeoutMs);
      response.once('close', () => {
        clearTimeout(timer);
        lives.delete(life);
        if (!response.writableFinished) life.abort(new Ending('cancelled'));
      });
      return life.signal;
    },
    stop() {
      for (const life of lives) life.abort(new Ending('stopped'));
    },
  };
}
