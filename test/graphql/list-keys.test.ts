import { describe, expect, it } from 'vitest';

import { InputError } from '../../src/core/errors.ts';
import { createListKeys } from '../../src/graphql/relay.ts';

const TOO_LONG = { where: [{ field: 'name', operator: 'EQ', value: 'x'.repeat(5_000) }] } as const;

describe('the arguments of a list', () => {
  it('are read once for all rows that share them', () => {
    let reads = 0;
    const readKey = createListKeys((args: { readonly first: number }) => {
      reads++;
      return args;
    });
    const args = { first: 7 };

    expect([readKey(args), readKey(args)]).toMatchObject([{ count: 7 }, { count: 7 }]);
    expect(reads).toBe(1);
    expect(readKey({ first: 8 })).toMatchObject({ count: 8 });
  });

  it('that are too long fail all rows with one error', () => {
    const readKey = createListKeys();
    const errors = [1, 2].map(() => {
      try {
        return readKey(TOO_LONG);
      } catch (error) {
        return error;
      }
    });

    expect(errors[0]).toBeInstanceOf(InputError);
    expect(errors[1]).toBe(errors[0]);
  });
});
