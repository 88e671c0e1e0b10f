import { describe, expect, it } from 'vitest';

import { createScopes, type Scope, scopeKey } from '../../src/cache/scope.ts';

/** A register with a clock that the test sets; `ended` tells whose scope was cleared. */
function openScopes(max = 10) {
  const state = { nowMs: 1_000 };
  const ended: string[] = [];
  const scopes = createScopes({ max, idleMs: 100, now: () => state.nowMs });
  const get = (name: string, isAccepted = false) =>
    scopes.get(scopeKey(name), () => {
      const cache = { isAccepted, clear: () => void ended.push(name) };
      return { cache } as unknown as Scope;
    });
  return { get, leave: (name: string) => scopes.delete(scopeKey(name)), ended, state };
}

describe('the scope of a caller', () => {
  it.each([false, true])('is the same one while they ask often enough, accepted: %s', (isAccepted) => {
    const { get, state, ended } = openScopes();
    const first = get('ann', isAccepted);

    for (const nowMs of [1_090, 1_180, 1_270]) {
      state.nowMs = nowMs;
      expect(get('ann')).toBe(first);
    }
    expect(ended).toEqual([]);
  });

  it.each([false, true])('ends when they were away for too long, accepted: %s', (isAccepted) => {
    const { get, state, ended } = openScopes();
    get('ann', isAccepted);
    get('ann');

    state.nowMs = 1_101;
    get('bob');

    expect(ended).toEqual(['ann']);
  });

  it('ends when they sign out', () => {
    const { get, leave, ended } = openScopes();
    const first = get('ann', true);
    get('ann');

    leave('ann');

    expect(ended).toEqual(['ann']);
    expect(get('ann')).not.toBe(first);
  });

  it('ends for others when there are too many', () => {
    const { get, ended } = openScopes(2);
    for (const name of ['ann', 'bob', 'cid']) get(name);

    expect(ended).toEqual(['ann']);
  });

  it('does not end for others whom the platform has not accepted, once it has accepted this one', () => {
    const { get, ended } = openScopes(2);
    const first = get('ann', true);
    get('ann');

    for (const name of ['x', 'y', 'z']) get(name);

    expect(ended).toEqual(['x']);
    expect(get('ann')).toBe(first);
  });
});
