import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { InputError } from '../../src/core/errors.ts';
import { checkInt64, isInt64, joinRule, path } from '../../src/upstream/path.ts';
import { dialectOf, openPlatform } from './support/open.ts';

describe('a path', () => {
  it('accepts an id of 256 characters', () => {
    expect(path`/forms/${'x'.repeat(256)}`).toHaveLength(7 + 256);
  });
});

describe('a 64-bit integer id', () => {
  it('may be every int64, and nothing beyond', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), (integer) => {
        expect(isInt64(String(integer))).toBe(BigInt.asIntN(64, integer) === integer);
      }),
    );
  });

  it.each([
    '9223372036854775808',
    '-9223372036854775809',
    '1'.repeat(400),
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
  ])('may not be %j', (text) => {
    expect(() => checkInt64('caseId', text)).toThrow(InputError);
  });
});

describe('a rule', () => {
  it('joins its component and version by a single hyphen in one segment', async () => {
    const { upstream, requests } = await openPlatform({ status: 200, body: { parameters: [] } });

    await upstream.rules.read({ component: 'discount-rate/eu', version: '2.1' });
    await upstream.rules.execute({ component: 'approval level', version: '1' }, []);

    expect(requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'PUT /v1.0/rules/discount-rate%2Feu-2.1/get-parameters',
      'PUT /v1.0/rules/approval%20level-1/execute',
    ]);
  });

  it('may have a hyphen in its version where the dialect allows it', async () => {
    const dialect = dialectOf({ rule: { isHyphenInVersionAllowed: true } });
    const { upstream, requests } = await openPlatform({ status: 200, body: [] }, { dialect });

    await upstream.rules.execute({ component: 'a', version: '2024-01' }, []);

    expect(requests[0]?.target).toBe('/v1.0/rules/a-2024-01/execute');
  });

  it.each([
    ['', '1'],
    ['a', ''],
    ['a', '..'],
    ['a\n', '1'],
  ])('is rejected with the component %j and the version %j', (component, version) => {
    expect(() => joinRule(component, version, true)).toThrow(InputError);
  });
});
