import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { InputError } from '../../src/core/errors.ts';
import { checkInt64, isId, isInt64, joinRule, path } from '../../src/upstream/operations.ts';
import { dialectOf, openPlatform } from './support/open.ts';

const ids = fc.string({ unit: 'binary', minLength: 1, maxLength: 256 }).filter(isId);

describe('a path', () => {
  it('carries every id in one segment, encoded exactly once', () => {
    fc.assert(
      fc.property(ids, (id) => {
        const segments = path`/forms/${id}/instances`.split('/');

        expect(segments).toHaveLength(4);
        expect(decodeURIComponent(segments[2] ?? '')).toBe(id);
        expect(new URL(`http://h/v1.0${segments.join('/')}`).pathname).toBe(`/v1.0${segments.join('/')}`);
      }),
    );
  });

  it.each(['a/b', 'a?b', 'a#b', 'a b', 'a\\b', '%2F', '...', '..a', 'é€😀', 'a;b', '-', '__proto__'])(
    'reaches the server with %j as the intended form',
    async (id) => {
      const { upstream, requests } = await openPlatform({ status: 200, body: {} });

      await upstream.forms.read(id);

      const segments = requests[0]?.target.split('/') ?? [];
      expect(segments.slice(0, 3)).toEqual(['', 'v1.0', 'forms']);
      expect(segments.slice(3).map(decodeURIComponent)).toEqual([id]);
    },
  );

  it.each(['', '.', '..', 'a\u0000', 'a\r\nb', '\t', '\u007f', '\u0085', '\ud800', 'a\udfff', 'x'.repeat(257)])(
    'is rejected for %j, and nothing is sent',
    async (id) => {
      const { upstream, requests, signedIn } = await openPlatform({ status: 200, body: {} });

      expect(() => upstream.forms.read(id)).toThrow(InputError);

      expect(requests.concat(signedIn)).toEqual([]);
    },
  );

  it('accepts an id of 256 characters', () => {
    expect(path`/forms/${'x'.repeat(256)}`).toHaveLength(7 + 256);
  });
});

describe('a 64-bit integer id', () => {
  it.each(['0', '1', '-1', '9007199254740993', '-9007199254740993', '9223372036854775807', '-9223372036854775808'])(
    'may be %s, and keeps every digit in the path',
    async (caseId) => {
      const { upstream, requests } = await openPlatform({ status: 202, body: {} });

      const executed = await upstream.cases.execute(caseId, caseId, {});

      expect(requests[0]?.target).toBe(`/v1.0/cases/${caseId}/activities/${caseId}/execute`);
      expect(executed.caseId).toBe(caseId);
    },
  );

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

  it('is rejected with a hyphen in its version, since two rules would share a path', async () => {
    const { upstream, requests } = await openPlatform({ status: 200, body: [] });

    expect(() => upstream.rules.read({ component: 'a', version: 'b-1' })).toThrow(InputError);

    expect(requests).toEqual([]);
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
