import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';

import { isHeldExactly, type Json, type JsonObject, parseJson } from '../../src/core/json.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const isSafe = (integer: bigint) =>
  Number.isSafeInteger(Number(integer)) && BigInt(Number(integer)) === integer;

/** Returns the value that `parseJson` reads from a number. */
const kept = (number: string): Json =>
  isHeldExactly(number, Number(number)) ? Number(number) : number;

const nestBeside = (length: number, depth: number) =>
  `["${'x'.repeat(length)}",${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}]`;

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

  it.each([15, 16, 17, 19, 20])(
    'keeps %i digits wherever they begin, as a number and in a text',
    (count) => {
      const integer = '9'.repeat(count);
      const fractions = [
        `${integer.slice(1)}.5`,
        `0.${integer}`,
        `${integer.slice(3)}e123`,
        '1e-400',
      ];
      for (const number of [integer, `-${integer}`, ...fractions]) {
        for (let offset = 0; offset < 16; offset++) {
          const space = ' '.repeat(offset);
          expect(parseJson(space + number)).toBe(kept(number));
          expect(parseJson(`[${space}${number}]`)).toEqual([kept(number)]);
          expect(parseJson(`{"${space}a\\"${number}":"${number}\\\\"}`)).toEqual({
            [`${space}a"${number}`]: `${number}\\`,
          });
        }
      }
    },
  );

  it.each([
    '1234567890123456.789',
    '9007199254740993.0',
    '0.1000000000000000055',
    '9007199254740990.9999999',
    '-12345678901234567e-3',
    '1e-400',
    // Larger than any double.
    '1e400',
    '-1e999',
    '1e+0400',
    `1.5${'0'.repeat(400)}e400`,
    '9'.repeat(400),
  ])('keeps %s, whose digits do not fit in a double, as text', (digits) => {
    expect(parseJson(`{"a" : [ ${digits} ]}`)).toEqual({ a: [digits] });
  });

  it.each(['1234567890.5000000000', '0.000000000000000001', '9007199254740992.0', '1.5e300'])(
    'returns %s, whose significant digits fit in a double, as a number',
    (digits) => {
      expect(parseJson(`[${digits}]`)).toEqual([Number(digits)]);
    },
  );

  it('returns each value as its text has it', () => {
    // Characters that look like a long number, an exponent or a key, inside and outside strings.
    const text = fc.stringMatching(
      /^(?:[e"\\\\,:{}]|phase100|9e107d|1234567890123456|__proto__|\\\\u005f){0,4}$/,
    );
    const key = fc.oneof(text, fc.constantFrom('__proto__', '"__proto__', '__proto__:'));
    const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?(?:[eE][+-]?\d{1,2})?$/);
    // The marks are removed from the text.
    const number = fc.oneof(digits, fc.constant('1e-400')).map((one) => `#${one}#`);
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.constantFrom(true, false, null),
        number,
        fc.array(tie('value')),
        fc.dictionary(key, tie('value')),
      ),
    }));
    const toExpected = (name: string, member: unknown) => {
      if (name === '__proto__') return undefined;
      const [, source] = /^#(.*)#$/.exec(String(member)) ?? [];
      return source === undefined || typeof member !== 'string' ? member : kept(source);
    };

    fc.assert(
      fc.property(value, fc.constantFrom('', ' ', ' '.repeat(10)), (written, gap) => {
        const marked = JSON.stringify(written, null, gap);
        const expected = JSON.parse(marked, toExpected);
        const json = marked.replaceAll(/"#(.*?)#"/g, '$1');
        expect(JSON.stringify(parseJson(json))).toBe(JSON.stringify(expected));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['1234567890123456', '1e-400', '0.12345678901234567', '"__proto__"', '"\\u0070"'])(
    'calls no function for every member, which takes many times as long, where the text holds %s',
    (json) => {
      const parse = vi.spyOn(JSON, 'parse');

      parseJson(`[${json},{"a":${json},"__proto__":1},1.5]`);

      expect(parse.mock.calls.filter((given) => given.length > 1)).toEqual([]);
    },
  );

  it.each(['', '1'.repeat(20)])(
    'drops __proto__ and keeps other keys of prototypes, with the number %j beside them or not',
    (digits) => {
      const parsed = parseJson(
        `{"__proto__":{"isAdmin":true},"constructor":1,"n":[${digits}]}`,
      ) as JsonObject;

      expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
      expect(Object.keys(parsed)).toEqual(['constructor', 'n']);
      expect(parsed['isAdmin']).toBeUndefined();
      expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    },
  );

  it.each(['\\u005f\\u005Fproto__', '__pr\\u006fto__'])(
    'drops __proto__ also where it is written as %s, at any depth',
    (name) => {
      expect(JSON.stringify(parseJson(`{"a":[{"${name}":{"isAdmin":true},"b":1}]}`))).toBe(
        '{"a":[{"b":1}]}',
      );
    },
  );

  it.each<[string, (depth: number) => string]>([
    ['arrays', (depth) => '['.repeat(depth) + ']'.repeat(depth)],
    ['objects', (depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`],
    [
      'arrays with brackets in strings',
      (depth) => `${'["]]]\\"",'.repeat(depth)}1${']'.repeat(depth)}`,
    ],
    ['arrays beside 1,000 characters', (depth) => nestBeside(1_000, depth)],
    ['arrays beside 200,000 characters', (depth) => nestBeside(200_000, depth)],
  ])('rejects %s nested 129 deep, and accepts them 128 deep', (_what, nest) => {
    expect(() => parseJson(nest(128))).not.toThrow();
    expect(() => parseJson(nest(129))).toThrow('Too many levels');
    expect(() => parseJson(nest(50_000))).toThrow('Too many levels');
  });

  it.each([0, 200_000])('estimates the memory of a value beside %i other characters', (length) => {
    const text = JSON.stringify([
      'x'.repeat(length),
      ...Array.from({ length: 1_000 }, (_, id) => ({ id, to: [id] })),
    ]);
    const admit = vi.fn();

    parseJson(text, admit);

    const [[bytes]] = admit.mock.calls as [[number]];
    expect(admit).toHaveBeenCalledOnce();
    expect(bytes - text.length).toBeGreaterThan(100_000);
    expect(bytes - text.length).toBeLessThan(200_000);
  });

  it('returns nothing of a value that is refused', () => {
    const refuse = () => {
      throw new Error('too large');
    };

    expect(() => parseJson('{"a":[1]}', refuse)).toThrow('too large');
    expect(() => parseJson(`{"a":[${'1'.repeat(20)}]}`, refuse)).toThrow('too large');
  });

  it.each([
    '{1234567890123456789:1}',
    '{"a":1,1234567890123456789 :2}',
    '[01234567890123456789]',
    '[1234567890123456789.]',
    '[.1234567890123456789]',
    '[1234567890123456789e]',
    '[+1234567890123456789]',
    '[1234567890-1234567890]',
    '[1234567890123456789"a"]',
    '["a"1234567890123456789]',
    '[1234567890123456789 1]',
    '[1234567890123456789',
    '["1234567890123456789]',
  ])('rejects %s, which is not JSON although its digits are', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  // Scans of texts of up to 4,095 characters share an array.
  it.each([40, 4_094, 4_095, 4_096, 4_097])(
    'reads nothing of an earlier text after one of %i characters',
    (length) => {
      const digits = '9'.repeat(20);
      const readAfterLonger = (end: string) => {
        parseJson('9'.repeat(length + 1));
        return parseJson(end.padStart(length));
      };

      expect(readAfterLonger(digits)).toBe(digits);
      for (const end of [`"${digits}\\`, `["${digits}","\\`, `{"a":${digits},"\\`])
        expect(() => readAfterLonger(end)).toThrow(SyntaxError);
    },
  );

  it.each(['', '{"a":1,}', '\u{feff}{}'])('rejects %j, which is not JSON', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});
