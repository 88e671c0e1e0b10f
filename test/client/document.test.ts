import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';

import { addKey, kindOf } from '../../client/adapters/document.ts';

const WITH_INPUT = 'mutation ($input: I!) { create(input: $input) { id } }';

describe('a mutation', () => {
  it.each([
    ['a key in its input', WITH_INPUT, { input: { idempotencyKey: 'k' } }],
    [
      'a key in a variable',
      '($k: ID) { create(input: { idempotencyKey: $k }) { id } }',
      { k: 'k' },
    ],
    ['a key in its text', '{ create(input: { idempotencyKey: "k" }) { id } }', {}],
  ])('is keyed with %s', (_name, text, variables) => {
    expect(kindOf(parse(text.replace(/^[({]/, 'mutation $&')), variables)).toBe('keyed-write');
  });

  it.each([
    ['no key', WITH_INPUT, { input: {} }],
    ['an empty key', WITH_INPUT, { input: { idempotencyKey: '' } }],
    ['a variable without a value', '($k: ID) { create(input: { idempotencyKey: $k }) { id } }', {}],
    [
      'a field of the form with that name',
      '{ create(input: { values: { idempotencyKey: "k" } }) { id } }',
      {},
    ],
    [
      'a second field without a key',
      '{ a(input: { idempotencyKey: "k" }) { id } b(input: {}) { id } }',
      {},
    ],
    ['a key outside of the input', '{ create(idempotencyKey: "k") { id } }', {}],
    [
      'a fragment at its root',
      'mutation { ...F } fragment F on Mutation { create(input: { idempotencyKey: "k" }) { id } }',
      {},
    ],
    [
      'another operation without a key',
      'mutation A { a(input: { idempotencyKey: "k" }) { id } } mutation B { b { id } }',
      {},
    ],
  ])('is unkeyed with %s', (_name, text, variables) => {
    expect(kindOf(parse(text.replace(/^[({]/, 'mutation $&')), variables)).toBe('write');
  });

  it('keeps the key that its variables have', () => {
    const input = { idempotencyKey: 'own', values: {} };

    expect(addKey(parse(WITH_INPUT), { input }, 'new')).toEqual({ input });
  });

  it('fails where it has no place for a key', () => {
    const document = parse('mutation ($id: ID!) { remove(input: { instanceId: $id }) { id } }');

    expect(() => addKey(document, { id: '1' }, 'new')).toThrow('needs the variable');
  });
});

it('a query is a read', () => {
  expect(kindOf(parse('{ forms { totalCount } }'))).toBe('read');
});
