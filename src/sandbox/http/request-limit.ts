const WINDOW_MS = 60_000;

/**
 * Counts the requests of each user, and says whether one more is within `limit` per minute (0: no limit).
 * A minute starts with a user's first request after the last minute ended. Counts live in this process.
 */
export function createRequestLimit(now: () => number): (username: string, limit: number) => boolean {
  const windows = new Map<string, { readonly startedAtMs: number; count: number }>();

  return (username, limit) => {
    if (limit === 0) return true;
    let window = windows.get(username);
    if (window === undefined || now() >= window.startedAtMs + WINDOW_MS) {
      window = { startedAtMs: now(), count: 0 };
      windows.set(username, window);
    }
    window.count += 1;
    return window.count <= limit;
  };
}
