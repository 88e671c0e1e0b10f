import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';

import { isHeldExactly, type Json, type JsonObject, parseJson } from '../../src/core/json.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const isSafe = (integer: bigint) => Number.isSafeInteger(Number(integer)) && BigInt(Number(integer)) === integer;

/** The slow way: looks at each member, whatever the text is. */
function keepEvery(name: string, value: unknown, { source }: { readonly source?: string } = {}) {
  if (name === '__proto__') return undefined;
  return typeof value === 'number' && source !== undefined && !isHeldExactly(source, value) ? source : value;
}

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

  it.each([15, 16, 17, 19, 20])('keeps %i digits wherever they begin, as a number and in a text', (count) => {
    const integer = '9'.repeat(count);
    const fractions = [`${integer.slice(1)}.5`, `0.${integer}`, `${integer.slice(3)}e123`, '1e-400'];
    for (const number of [integer, `-${integer}`, ...fractions]) {
      for (let offset = 0; offset < 16; offset++) {
        const space = ' '.repeat(offset);
        for (const json of [`${space}${number}`, `[${space}${number}]`, `{"${space}a\\"${number}":"${number}\\\\"}`]) {
          expect(JSON.stringify(parseJson(json))).toBe(JSON.stringify(JSON.parse(json, keepEvery)));
        }
      }
    }
  });

  it.each([
    '1234567890123456.789',
    '9007199254740993.0',
    '0.1000000000000000055',
    '9007199254740990.9999999',
    '-12345678901234567e-3',
    '1e-400',
    // Beyond all doubles.
    '1e400',
    '-1e999',
    '1e+0400',
    `1.5${'0'.repeat(400)}e400`,
    '9'.repeat(400),
  ])('keeps %s, whose digits do not fit in a double, as text', (digits) => {
    expect(parseJson(`{"a":[${digits}]}`)).toEqual({ a: [digits] });
  });

  it.each(['1234567890.5000000000', '0.000000000000000001', '9007199254740992.0', '1.5e300'])(
    'returns %s, whose significant digits fit in a double, as a number',
    (digits) => {
      expect(parseJson(`[${digits}]`)).toEqual([Number(digits)]);
    },
  );

  it('returns what looking at every member returns', () => {
    // Whatever could be taken for a long number, an exponent or a key, within texts and outside.
    const text = fc.stringMatching(/^(?:[e"\\\\,:{}]|phase100|9e107d|1234567890123456|__proto__|\\\\u005f){0,4}$/);
    const key = fc.oneof(text, fc.constantFrom('__proto__', '"__proto__', '__proto__:'));
    const number = fc.stringMatching(/^-?(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?(?:[eE][+-]?\d{1,2})?$/);
    const space = fc.constantFrom('', ' ', '\n            ');
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(
          text.map((one) => JSON.stringify(one)),
          number,
          fc.constantFrom('true', 'false', 'null', '1e-400'),
        ),
        fc.tuple(space, fc.array(tie('value'))).map(([gap, all]) => `[${gap}${all.join(`${gap},${gap}`)}${gap}]`),
        fc.tuple(space, fc.dictionary(key, tie('value'))).map(([gap, all]) => {
          const members = Object.entries(all).map(([name, one]) => `${JSON.stringify(name)}${gap}:${gap}${one}`);
          return `{${gap}${members.join(`${gap},${gap}`)}${gap}}`;
        }),
      ),
    }));

    fc.assert(
      fc.property(value, (json) => {
        expect(JSON.stringify(parseJson(json))).toBe(JSON.stringify(JSON.parse(json, keepEvery)));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['phase100', '9e107d9d-372b-41e4-a926-1e1234567890', '1234567890123456', '\\u0070', '"__proto__"'])(
    'does not look at every member, which takes several times as long, for the text %s',
    (text) => {
      const parse = vi.spyOn(JSON, 'parse');

      parseJson(JSON.stringify([{ [text]: text, n: 1.5 }, [text, true]], undefined, 20));

      expect(parse.mock.calls.map((given) => given.length)).toEqual([1]);
    },
  );

  it.each(['', '1'.repeat(20)])(
    'drops __proto__ and keeps other keys of prototypes, with the number %j beside them or not',
    (digits) => {
      const parsed = parseJson(`{"__proto__":{"isAdmin":true},"constructor":1,"n":[${digits}]}`) as JsonObject;

      expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
      expect(Object.keys(parsed)).toEqual(['constructor', 'n']);
      expect(parsed['isAdmin']).toBeUndefined();
      expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    },
  );

  it.each(['\\u005f\\u005Fproto__', '__pr\\u006fto__'])(
    'drops __proto__ also where it is written as %s, at any depth',
    (name) => {
      expect(JSON.stringify(parseJson(`{"a":[{"${name}":{"isAdmin":true},"b":1}]}`))).toBe('{"a":[{"b":1}]}');
    },
  );

  it.each<[string, (depth: number) => string]>([
    ['arrays', (depth) => '['.repeat(depth) + ']'.repeat(depth)],
    ['objects', (depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`],
    ['arrays with brackets in strings', (depth) => `${'["]]]\\"",'.repeat(depth)}1${']'.repeat(depth)}`],
    ['arrays beside 1,000 characters', (depth) => nestBeside(1_000, depth)],
    ['arrays beside 200,000 characters', (depth) => nestBeside(200_000, depth)],
  ])('rejects %s nested 129 deep, and accepts them 128 deep', (_what, nest) => {
    expect(() => parseJson(nest(128))).not.toThrow();
    expect(() => parseJson(nest(129))).toThrow('too deep');
    expect(() => parseJson(nest(50_000))).toThrow('too deep');
  });

  it.each([0, 200_000])('estimates the memory of a value beside %i other characters', (length) => {
    const text = JSON.stringify(['x'.repeat(length), ...Array.from({ length: 1_000 }, (_, id) => ({ id, to: [id] }))]);
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

  it.each(['', '{', '{"a":1,}', "{'a':1}", 'NaN', '[1] [2]', '\u{feff}{}'])('rejects %j, which is not JSON', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});
