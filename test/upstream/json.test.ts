import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isJsonObject, type Json, parseJson } from '../../src/upstream/json.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const isSafe = (integer: bigint) => Number.isSafeInteger(Number(integer)) && BigInt(Number(integer)) === integer;

describe('parseJson', () => {
  it('keeps every digit of every int64', () => {
    fc.assert(
      fc.property(int64, (integer) => {
        const { idCase } = parseJson(`{"idCase":${integer}}`) as { idCase: Json };

        expect(String(idCase)).toBe(String(integer));
        expect(typeof idCase).toBe(isSafe(integer) ? 'number' : 'string');
      }),
    );
  });

  it.each([
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740991',
    '-9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
    '123456789012345678901234567890',
  ])('does not round %s, wherever it stands', (digits) => {
    const parsed = parseJson(`[${digits},{"a":[${digits}]}]`) as [Json, { a: [Json] }];

    expect([String(BigInt(String(parsed[0]))), String(BigInt(String(parsed[1].a[0])))]).toEqual([digits, digits]);
  });

  it.each([
    ['a fraction', '0.30000000000000004', 0.30000000000000004],
    ['an exponent', '1e20', 1e20],
    ['a text of digits', '"9007199254740993"', '9007199254740993'],
  ])('leaves %s as it is', (_what, json, value) => {
    expect(parseJson(`[${json},1111111111111111111]`)).toEqual([value, '1111111111111111111']);
  });

  it('gives what JSON.parse gives for all that holds no long integer', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        fc.pre(!/\d{16}/.test(json));

        expect(parseJson(json)).toEqual(JSON.parse(json));
      }),
    );
  });

  it.each(['', '1'.repeat(20)])(
    'makes members of the keys that prototypes have, with the number %j beside them or not',
    (digits) => {
      const parsed = parseJson(`{"__proto__":{"isAdmin":true},"constructor":1,"n":[${digits}]}`) as Record<
        string,
        Json
      >;

      expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
      expect(Object.keys(parsed)).toEqual(['__proto__', 'constructor', 'n']);
      expect(parsed['isAdmin']).toBeUndefined();
      expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    },
  );

  it.each(['', '{', '{"a":1,}', "{'a':1}", 'NaN', '[1] [2]', '\u{feff}{}'])('refuses %j, which is no JSON', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});

describe('isJsonObject', () => {
  it.each([
    [{}, true],
    [{ a: 1 }, true],
    [[], false],
    [null, false],
    ['{}', false],
    [1, false],
    [undefined, false],
  ])('tells that %j is one: %s', (value, isOne) => {
    expect(isJsonObject(value)).toBe(isOne);
  });
});
