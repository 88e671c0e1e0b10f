/** Measures how late the event loop is, which is how long everybody waits for nothing. */
export interface LagProbe {
  /** The worst lateness of late, in milliseconds; an old one counts less and less. */
  recentMs(): number;
  stop(): void;
}

interface LagProbeOptions {
  /** Told each measurement, in milliseconds. */
  readonly onSample: (lagMs: number) => void;
  /** A clock that only goes forward, in milliseconds. */
  readonly now?: () => number;
  /** Calls back after some milliseconds, or as soon after as the event loop can. Gives the way to call it off. */
  readonly after?: (delayMs: number, callback: () => void) => () => void;
}

/** How often is measured. */
export const PERIOD_MS = 20;
/** What is left of a measurement after one more period. */
const FADING = 0.9;

/** Starts to measure. It keeps no process alive. */
export function createLagProbe({ onSample, now = () => performance.now(), after = timer }: LagProbeOptions): LagProbe {
  let recentMs = 0;
  let dueMs = 0;
  let cancel = () => {};

  const schedule = () => {
    dueMs = now() + PERIOD_MS;
    cancel = after(PERIOD_MS, measure);
  };
  const measure = () => {
    const lagMs = Math.max(0, now() - dueMs);
    recentMs = Math.max(lagMs, recentMs * FADING);
    onSample(lagMs);
    schedule();
  };
  schedule();
  return { recentMs: () => recentMs, stop: () => cancel() };
}

function timer(delayMs: number, callback: () => void): () => void {
  const timeout = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timeout);
}
