import { describe, expect, it } from 'vitest';

import { createLagProbe } from '../../../src/edge/admission/lag.ts';

/** A probe on a clock and a timer that the test moves. */
function probeByHand() {
  const samples: number[] = [];
  let nowMs = 0;
  let due: { readonly atMs: number; readonly callback: () => void } | undefined;
  const probe = createLagProbe({
    onSample: (lagMs) => samples.push(lagMs),
    now: () => nowMs,
    after(delayMs, callback) {
      due = { atMs: nowMs + delayMs, callback };
      return () => {
        due = undefined;
      };
    },
  });
  /** Lets the timer's time pass, and some more. */
  const pass = (lateMs: number) => {
    nowMs = (due?.atMs ?? nowMs) + lateMs;
    due?.callback();
  };
  return { probe, samples, pass, isWaiting: () => due !== undefined };
}

describe('lag probe', () => {
  it('tells how late each of its timers was', () => {
    const { samples, pass } = probeByHand();

    pass(0);
    pass(200);
    pass(3);

    expect(samples).toEqual([0, 200, 3]);
  });

  it('remembers the worst, less and less', () => {
    const { probe, pass } = probeByHand();
    pass(1_500);
    const atOnce = probe.recentMs();

    for (let period = 0; period < 5; period++) pass(0);
    const soon = probe.recentMs();
    for (let period = 0; period < 100; period++) pass(0);

    expect(atOnce).toBe(1_500);
    expect(soon).toBeLessThan(1_000);
    expect(probe.recentMs()).toBeLessThan(1);
  });

  it('measures no more when it is stopped', () => {
    const { probe, pass, isWaiting } = probeByHand();
    pass(0);

    probe.stop();

    expect(isWaiting()).toBe(false);
  });
});
