import { createIdempotencyKey, createKey } from 'caseway/client';
import { describe, expect, it, vi } from 'vitest';

import { createStorage } from './storage.ts';

const LOST = new TypeError('fetch failed');
const REFUSED = { errors: [{ message: 'No.', extensions: { code: 'BAD_USER_INPUT' } }] };
const UNKNOWN = { errors: [{ message: 'Lost.', extensions: { code: 'OUTCOME_UNKNOWN' } }] };

describe('the key of a form', () => {
  it('stays for the same values of the same form, also after a reload', () => {
    const storage = createStorage();
    const key = createIdempotencyKey(storage, 'create').keyOf({ amount: 1 });
    const reloaded = createIdempotencyKey(storage, 'create');

    expect(createIdempotencyKey(storage, 'edit').keyOf({ amount: 1 })).not.toBe(key);
    expect(reloaded.keyOf({ amount: 1 })).toBe(key);
    expect(reloaded.keyOf({ amount: 2 })).not.toBe(key);
  });

  it.each([
    ['stays after a lost connection', LOST, true],
    ['stays after an unknown outcome', UNKNOWN, true],
    ['is renewed after a refusal', REFUSED, false],
    ['is renewed after a success', undefined, false],
    ['is renewed after a success with Apollo Client', null, false],
  ])('%s', (_title, error, stays) => {
    const idempotency = createIdempotencyKey(createStorage(), 'create');
    const key = idempotency.keyOf({ amount: 1 });

    idempotency.settle(error);

    expect(idempotency.keyOf({ amount: 1 }) === key).toBe(stays);
  });

  it('is renewed by a person who has looked', () => {
    const idempotency = createIdempotencyKey(createStorage(), 'create');
    const key = idempotency.keyOf({ amount: 1 });
    idempotency.settle(UNKNOWN);

    idempotency.renew();

    expect(idempotency.keyOf({ amount: 1 })).not.toBe(key);
  });

  it('leaves none of the values in the storage', () => {
    const { items, ...storage } = createStorage();
    createIdempotencyKey(storage, 'create').keyOf({ title: 'a secret' });

    expect([...items.values()].join()).not.toContain('secret');
    expect(items.size).toBe(1);
  });
});

it.each([
  ['a page without HTTPS', { getRandomValues: crypto.getRandomValues.bind(crypto) }],
  ['React Native', undefined],
])('keys are unique in %s', (_where, available) => {
  vi.stubGlobal('crypto', available);
  const keys = Array.from({ length: 1_000 }, createKey);
  vi.unstubAllGlobals();

  expect(new Set(keys).size).toBe(1_000);
  expect(keys.every((key) => key.length <= 256)).toBe(true);
});
