import { describe, expect, it } from 'vitest';

import type { Scope } from '../../src/store/scope.ts';
import { createScopes, scopeKey } from '../../src/store/scopes.ts';

/** A register with a clock that the test sets; `ended` tells whose scope was cleared. */
function openScopes(max = 10) {
  const state = { nowMs: 1_000 };
  const ended: string[] = [];
  const scopes = createScopes({ max, idleMs: 100, now: () => state.nowMs });
  const get = (name: string) =>
    scopes.get(scopeKey(name), () => {
      const store = { clear: () => void ended.push(`${name}’s store`) };
      const answers = { clear: () => void ended.push(`${name}’s answers`) };
      return { store, answers } as unknown as Scope;
    });
  return { get, drop: (name: string) => scopes.drop(scopeKey(name)), ended, state };
}

const BOTH = ['ann’s store', 'ann’s answers'];

describe('the scope of a caller', () => {
  it('is the same one while they ask often enough', () => {
    const { get, state, ended } = openScopes();
    const first = get('ann');

    for (const nowMs of [1_090, 1_180, 1_270]) {
      state.nowMs = nowMs;
      expect(get('ann')).toBe(first);
    }
    expect(ended).toEqual([]);
  });

  it('is forgotten with all that hangs off it when they were away for too long, though they never come back', () => {
    const { get, state, ended } = openScopes();
    get('ann');

    state.nowMs = 1_101;
    get('bob');

    expect(ended).toEqual(BOTH);
  });

  it('is forgotten when they have gone for good', () => {
    const { get, drop, ended } = openScopes();
    const first = get('ann');

    drop('ann');

    expect(ended).toEqual(BOTH);
    expect(get('ann')).not.toBe(first);
  });

  it('is forgotten for others when there are too many', () => {
    const { get, ended } = openScopes(2);
    for (const name of ['ann', 'bob', 'cid']) get(name);

    expect(ended).toEqual(BOTH);
  });
});
