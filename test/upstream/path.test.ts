import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { InputError } from '../../src/core/errors.ts';
import { checkInt64, isInt64, joinRule, path } from '../../src/upstream/path.ts';
import { execute, getParameters } from '../../src/upstream/resources/rules.ts';
import { openPlatform } from './support/open.ts';

describe('an id in a path', () => {
  it('is one segment, encoded once, whatever its characters', () => {
    const ids = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((id) => !/\p{Cc}/u.test(id) && id !== '.' && id !== '..');

    fc.assert(
      fc.property(ids, (id) => {
        const segments = path`/forms/${id}`.split('/');
        expect(segments).toHaveLength(3);
        expect(decodeURIComponent(segments[2] ?? '')).toBe(id);
      }),
      {
        examples: [
          ['a/b'],
          ['?'],
          ['#'],
          [' '],
          ['ä'],
          ['\\'],
          ['%2F'],
          ['a%b'],
          ['+'],
          [';'],
          ['x'.repeat(256)],
        ],
      },
    );
  });

  it.each(['', '.', '..', '\ud800', 'a\r\nb', 'a\0b', 'x'.repeat(257)])('may not be %j', (id) => {
    expect(() => path`/forms/${id}`).toThrow(InputError);
  });
});

describe('a 64-bit integer id', () => {
  it('may be every int64, and nothing beyond', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), (integer) => {
        expect(isInt64(String(integer))).toBe(BigInt.asIntN(64, integer) === integer);
      }),
      { examples: [[2n ** 63n], [-(2n ** 63n) - 1n]] },
    );
  });

  const OTHERS = [
    '',
    '-',
    '-0',
    '01',
    '+1',
    ' 1',
    '1\n',
    '1.0',
    '1e3',
    '0x1',
    '١',
    'abc',
    '1'.repeat(400),
  ];
  it.each(OTHERS)('may not be %j', (text) => {
    expect(() => checkInt64('caseId', text)).toThrow(InputError);
  });
});

describe('a rule', () => {
  it('joins its component and version by a single hyphen in one segment', async () => {
    const { upstream, requests } = await openPlatform({ status: 200, body: { parameters: [] } });

    await upstream.read(getParameters, { component: 'discount-rate/eu', version: '2.1' });
    await upstream.change(execute, { component: 'approval level', version: '1', parameters: [] });

    expect(requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'PUT /v1.0/rules/discount-rate%2Feu-2.1/get-parameters',
      'PUT /v1.0/rules/approval%20level-1/execute',
    ]);
  });

  it.each([
    ['', '1'],
    ['a', ''],
    ['a', '..'],
    ['a\n', '1'],
    // It would have the path of another rule.
    ['a', '2024-01'],
  ])('is rejected with the component %j and the version %j', (component, version) => {
    expect(() => joinRule({ component, version })).toThrow(InputError);
  });
});
