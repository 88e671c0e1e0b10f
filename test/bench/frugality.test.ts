import { rmSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';

import { count } from '../../bench/frugality/count.ts';
import { writeDefinitions } from '../../bench/frugality/definitions.ts';
import { differences } from '../../bench/frugality/index.ts';
import { OPERATIONS } from '../../bench/frugality/operations.ts';

const CALLS = { naive: 5, loaders: 4, cold: 3, warm: 2, unchanged: 1, fresh: 0 };

describe('the call count table', () => {
  it('counts the upstream calls of each way to query a list of 100', async () => {
    const definitions = writeDefinitions();
    onTestFinished(() => rmSync(definitions, { recursive: true }));
    const operation = OPERATIONS.find(({ name }) => name === 'a list of 100 with form and owner');
    if (operation === undefined) throw new Error('The operation has another name.');

    const calls = await count(operation, definitions);

    // The list, then per row its form, the definition with the reference's target, and the owner.
    expect(calls).toMatchObject({
      naive: 1 + 3 * 100,
      loaders: 1 + 1 + 10,
      cold: 3,
      fresh: 0,
      isAgreed: true,
    });
  });

  it('reports an operation that makes more or fewer calls than committed, or that has no row', () => {
    const expected = { same: CALLS, more: CALLS, fewer: CALLS, gone: CALLS };
    const counted = {
      same: CALLS,
      more: { ...CALLS, cold: 4 },
      fewer: { ...CALLS, warm: 1 },
      new: CALLS,
    };

    expect(differences(expected, counted)).toEqual([
      'more: cold 3 → 4',
      'fewer: warm 2 → 1',
      'gone: gone',
      'new: new',
    ]);
  });
});
