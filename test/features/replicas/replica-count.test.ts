import { describe, expect, it } from 'vitest';

import { createReplicaCount } from '../../../src/features/replicas/replica-count.ts';

/** Opens a count with a clock that the test sets. */
function open() {
  const clock = { ms: 0 };
  return { clock, count: createReplicaCount(() => clock.ms) };
}

describe('the count of replicas', () => {
  it('is one before Redis has counted any', () => {
    expect(open().count.read()).toBe(1);
  });

  it('grows at once', () => {
    const { count } = open();

    count.note(3);

    expect(count.read()).toBe(3);
  });

  it.each([
    ['still contains a replica that is missing for less than a minute', 59_999, 3],
    ['shrinks when a replica is missing for a minute', 60_000, 2],
  ])('%s', (_what, afterMs, expected) => {
    const { clock, count } = open();
    count.note(3);

    clock.ms = afterMs;
    count.note(2);

    expect(count.read()).toBe(expected);
  });

  it('does not shrink for the first replica that is back after a long outage', () => {
    const { clock, count } = open();
    count.note(3);
    clock.ms = 3_600_000;

    count.noteConnect();
    count.note(1);

    expect(count.read()).toBe(3);
  });
});
