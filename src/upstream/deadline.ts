import { UpstreamError } from './errors.ts';

/** The end of the time that a call, or one try of it, may take. */
export interface Deadline {
  /** How much is left, in milliseconds; never below 0. */
  restMs(): number;
}

/** Starts a deadline. */
export function startDeadline(ms: number, now: () => number = () => performance.now()): Deadline {
  const endsAtMs = now() + ms;
  return { restMs: () => Math.max(0, endsAtMs - now()) };
}

/**
 * Settles as `awaited` does, or rejects when the deadline passes. What was awaited goes on, for others who wait for it.
 *
 * @throws {UpstreamError} `timeout`.
 */
export async function within<T>(deadline: Deadline, operation: string, awaited: Promise<T>): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new UpstreamError('timeout', { operation, isUnsent: true })),
    deadline.restMs(),
  );
  try {
    return await Promise.race([awaited, ended]);
  } finally {
    clearTimeout(timer);
  }
}
