import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { createSeal } from '../../../src/store/replicas/seal.ts';

const [older, newer, stranger] = [randomBytes(32), randomBytes(32), randomBytes(32)];

describe('seal', () => {
  it('opens what was sealed under the same name', () => {
    const seal = createSeal([older]);

    expect(seal.open('a', seal.close('a', 'for ann only'))?.toString()).toBe('for ann only');
  });

  it('opens nothing that was moved to another name', () => {
    const seal = createSeal([older]);

    expect(seal.open('b', seal.close('a', 'for ann only'))).toBeUndefined();
  });

  it.each([0, 4, 20, 36])('opens nothing whose byte %i was changed', (index) => {
    const seal = createSeal([older]);
    const sealed = seal.close('a', 'for ann only');
    sealed[index] = (sealed[index] ?? 0) ^ 1;

    expect(seal.open('a', sealed)).toBeUndefined();
  });

  it.each([0, 3, 35])('opens nothing that was cut to %i bytes', (length) => {
    const seal = createSeal([older]);

    expect(seal.open('a', seal.close('a', 'for ann only').subarray(0, length))).toBeUndefined();
  });

  it('shows neither the content nor that two contents are equal', () => {
    const seal = createSeal([older]);
    const [one, two] = [seal.close('a', 'for ann only'), seal.close('a', 'for ann only')];

    expect(one.includes('ann')).toBe(false);
    expect(one.subarray(4).equals(two.subarray(4))).toBe(false);
  });

  it('opens with every key it holds, and seals with the first', () => {
    const [before, during, after] = [createSeal([older]), createSeal([newer, older]), createSeal([newer])];

    expect(during.open('a', before.close('a', 'kept'))?.toString()).toBe('kept');
    expect(after.open('a', during.close('a', 'kept'))?.toString()).toBe('kept');
    expect(createSeal([stranger]).open('a', before.close('a', 'kept'))).toBeUndefined();
  });
});

describe('a blinded name', () => {
  it('is the same for the same parts and key, and tells the parts to nobody', () => {
    const seal = createSeal([older]);

    expect(seal.blind('form', '5')).toEqual(createSeal([older]).blind('form', '5'));
    expect(seal.blind('form', '5')).not.toEqual(createSeal([stranger]).blind('form', '5'));
    expect(seal.blind('form', '5')[0]).toMatch(/^[\w-]{43}$/);
  });

  it('differs for parts that run together', () => {
    const { blind } = createSeal([older]);

    expect(new Set([blind('ab', 'c')[0], blind('a', 'bc')[0], blind('abc')[0]]).size).toBe(3);
  });

  it('is one for each key, the first key’s first', () => {
    const [before, during] = [createSeal([older]), createSeal([newer, older])];

    expect(during.blind('form')).toEqual([createSeal([newer]).blind('form')[0], before.blind('form')[0]]);
  });
});
