import { describe, expect, it } from 'vitest';

import { createScopes, type Scope } from '../../src/cache/scope.ts';
import { scopeKey } from '../../src/cache/scope-key.ts';

/** A registry with a clock that the test sets; `ended` lists the cleared scopes. */
function openScopes(max = 10) {
  const state = { nowMs: 1_000, looks: 0 };
  const ended: string[] = [];
  const now = () => {
    state.looks++;
    return state.nowMs;
  };
  const scopes = createScopes({ max, idleMs: 100, now });
  const get = (name: string) =>
    scopes.get(scopeKey(name), () => {
      const cache = { clear: () => void ended.push(name) };
      return { cache } as unknown as Scope;
    });
  return { get, leave: (name: string) => scopes.delete(scopeKey(name)), ended, state };
}

describe('the scope of a caller', () => {
  it('is reused while requests keep arriving', () => {
    const { get, state, ended } = openScopes();
    const first = get('ann');

    for (const nowMs of [1_090, 1_180, 1_270]) {
      state.nowMs = nowMs;
      expect(get('ann')).toBe(first);
    }
    expect(ended).toEqual([]);
  });

  it('expires after a long idle time', () => {
    const { get, state, ended } = openScopes();
    get('ann');

    state.nowMs = 1_101;
    get('bob');

    expect(ended).toEqual(['ann']);
  });

  it('is made without a look at each of the others', () => {
    const { get, state } = openScopes(2_000);
    const looksAt = (callers: number) => {
      state.looks = 0;
      for (let count = 0; count < callers; count++) get(`${callers}-${count}`);
      return state.looks / callers;
    };

    expect(looksAt(1_000)).toBeCloseTo(looksAt(10));
  });

  it('ends at sign-out', () => {
    const { get, leave, ended } = openScopes();
    const first = get('ann');

    leave('ann');

    expect(ended).toEqual(['ann']);
    expect(get('ann')).not.toBe(first);
  });

  it('is evicted when there are too many callers', () => {
    const { get, ended } = openScopes(2);
    for (const name of ['ann', 'bob', 'cid']) get(name);

    expect(ended).toEqual(['ann']);
  });
});
