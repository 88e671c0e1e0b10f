import type { ServerResponse } from 'node:http';

import { AbortReason } from '../upstream/abort.ts';

/** The lives of all requests that are being worked on. */
export interface Lifetimes {
  /**
   * Does the work of one request. Its signal aborts when the client is gone, when the time is up, or when the gateway
   * stops, whichever comes first; the reason is an `AbortReason` that says which.
   */
  live<T>(response: ServerResponse, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Ends all work. */
  stop(): void;
  /** Resolves when nothing is being worked on, for a client or for one who has left a change behind. */
  idle(): Promise<void>;
}

/** @param timeoutMs how long a request may be worked on. */
export function createLifetimes(timeoutMs: number): Lifetimes {
  const lives = new Set<AbortController>();
  let whenIdle: (() => void) | undefined;

  return {
    async live(response, work) {
      const life = new AbortController();
      const timer = setTimeout(() => life.abort(new AbortReason('timeout')), timeoutMs);
      const leave = () => {
        if (!response.writableFinished) life.abort(new AbortReason('cancelled'));
      };
      lives.add(life);
      response.once('close', leave);
      try {
        return await work(life.signal);
      } finally {
        clearTimeout(timer);
        response.off('close', leave);
        lives.delete(life);
        if (lives.size === 0) whenIdle?.();
      }
    },
    stop() {
      for (const life of lives) life.abort(new AbortReason('stopped'));
    },
    idle: () =>
      new Promise((resolve) => {
        if (lives.size === 0) resolve();
        else whenIdle = resolve;
      }),
  };
}
