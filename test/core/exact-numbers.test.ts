import { assert, property, stringMatching } from 'fast-check';
import { describe, expect, it } from 'vitest';

import { compareDecimals } from '../../src/core/exact-numbers.ts';
import { measureCpu } from '../support/processor-time.ts';

const DECIMAL = stringMatching(/^-?0{0,2}\d{1,3}(\.\d{1,3}0{0,2})?$/);

/** Compares two decimals of at most five fraction digits by the language's own integers. */
function compareByBigInt(one: string, other: string): number {
  const [first = 0n, second = 0n] = [one, other].map((text) => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(5, '0'));
  });
  return first < second ? -1 : Number(first > second);
}

describe('two decimals', () => {
  it('are compared by their values, whatever zeros they are padded with', () => {
    assert(
      property(DECIMAL, DECIMAL, (one, other) => {
        expect(Math.sign(compareDecimals(one, other))).toBe(compareByBigInt(one, other));
      }),
      { numRuns: 5_000 },
    );
    for (const zero of ['0', '-0', '0.00', '-00.0']) expect(compareDecimals(zero, '0')).toBe(0);
  });

  it('are compared in little time, however many digits they have', async () => {
    const long = '9'.repeat(99_000);

    const { cpuMs } = await measureCpu(async () => {
      for (let n = 0; n < 10; n++) expect(compareDecimals(`0.${long}`, long)).toBeLessThan(0);
    });

    expect(cpuMs).toBeLessThan(100);
  });
});
