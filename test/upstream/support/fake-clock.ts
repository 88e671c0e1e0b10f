interface Alarm {
  readonly atMs: number;
  readonly callback: () => void;
}

/** A clock that stands until the test moves it. */
export function fakeClock() {
  let nowMs = 0;
  const alarms = new Set<Alarm>();
  return {
    now: () => nowMs,
    /** Calls back when the clock has moved so far. */
    after(ms: number, callback: () => void) {
      const alarm = { atMs: nowMs + ms, callback };
      alarms.add(alarm);
      return () => void alarms.delete(alarm);
    },
    /** Moves the clock, and lets what waits for it run. */
    async advance(ms: number) {
      nowMs += ms;
      for (const alarm of alarms) {
        if (alarm.atMs > nowMs) continue;
        alarms.delete(alarm);
        alarm.callback();
      }
      await settled();
    },
  };
}

/** Resolves when all that could go on has. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
