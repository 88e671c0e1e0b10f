import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { InputError } from '../../src/core/errors.ts';
import { getFormIntances } from '../../src/upstream/resources/instances.ts';
import {
  type Criterion,
  formatListQuery,
  groupByCriterion,
  type ListQuery,
} from '../../src/upstream/search.ts';
import { dialectOf, openPlatform } from './support/open.ts';

const dialect = dialectOf();
const PAGE: ListQuery = { where: [], orderBy: [], pageNumber: 1, perPage: 20 };

const format = (query: Partial<ListQuery>) => formatListQuery({ ...PAGE, ...query }, dialect);
const searchOf = (...where: Criterion[]) => new URLSearchParams(format({ where })).get('search');
const amount = (operator: Criterion['operator'], ...values: string[]): Criterion => ({
  field: 'amount',
  operator,
  values,
});

describe('a list query', () => {
  it('is formatted as search, page-number, per-page and sort', async () => {
    const { upstream, requests } = await openPlatform({ status: 200, body: [] });
    const where = [
      amount('GT', '5'),
      { field: 'city', operator: 'EQ', values: ['São Paulo'] } as const,
    ];
    const orderBy = [
      { field: 'amount', direction: 'DESC' } as const,
      { field: 'city', direction: 'ASC' } as const,
    ];

    const query = { formId: 'a', where, orderBy, pageNumber: 3, perPage: 10 };
    await upstream.read(getFormIntances, query);

    const { pathname, searchParams } = new URL(requests[0]?.target ?? '', 'http://h');
    expect(pathname).toBe('/v1.0/forms/a/instances');
    expect([...searchParams]).toEqual([
      ['search', 'amount=gt:5,city=eq:São Paulo'],
      ['page-number', '3'],
      ['per-page', '10'],
      ['sort', '-amount,+city'],
    ]);
  });

  it('omits search and sort where they are empty, and sends a plus sign as %2B, since a bare one reads as a space', () => {
    expect(format({})).toBe('?page-number=1&per-page=20');
    expect(format({ orderBy: [{ field: 'name', direction: 'ASC' }] })).toBe(
      '?page-number=1&per-page=20&sort=%2Bname',
    );
  });

  it.each(['', '+name', '-name', 'a,b', 'a:b', 'a=b', 'a\nb', '\ud800'])(
    'rejects %j as the name of a field',
    (field) => {
      expect(() => format({ orderBy: [{ field, direction: 'ASC' }] })).toThrow(InputError);
      expect(() => format({ where: [{ field, operator: 'EQ', values: ['1'] }] })).toThrow(
        InputError,
      );
    },
  );
});

describe('a search', () => {
  it.each(['EQ', 'NE', 'GT', 'GE', 'LT', 'LE', 'LIKE', 'IN'] as const)(
    'formats %s in small letters',
    (operator) => {
      expect(searchOf(amount(operator, '5'))).toBe(`amount=${operator.toLowerCase()}:5`);
    },
  );

  it('uses the dialect’s operators and separator', () => {
    const renamed = dialectOf({
      search: { operators: { EQ: 'equals', IN: 'any' }, separator: ';' },
    });
    const query = { ...PAGE, where: [amount('EQ', '5'), amount('IN', '1', '2|3')] };

    const written = formatListQuery(query, renamed);

    expect(new URLSearchParams(written).get('search')).toBe('amount=equals:5,amount=any:1;2|3');
  });

  it('writes CONTAINS and STARTS_WITH as patterns of the dialect’s like', () => {
    const dialect = dialectOf({
      search: { operators: { LIKE: 'matches' }, pattern: { any: '*', special: '?' } },
    });
    const where = [amount('CONTAINS', 'a%'), amount('STARTS_WITH', 'b')];

    const written = formatListQuery({ ...PAGE, where }, dialect);

    expect(new URLSearchParams(written).get('search')).toBe(
      'amount=matches:*a%*,amount=matches:b*',
    );
    expect(() => formatListQuery({ ...PAGE, where: [amount('CONTAINS', 'a?')] }, dialect)).toThrow(
      /"\?"/,
    );
  });

  it.each([
    [{ operators: { LIKE: null } }, 'LIKE'],
    [{ operators: { LIKE: null } }, 'CONTAINS'],
    [{ pattern: { any: null } }, 'STARTS_WITH'],
  ] as const)('lacks what the dialect lacks: with %j there is no %s', (search, operator) => {
    const format = () =>
      formatListQuery({ ...PAGE, where: [amount(operator, 'a')] }, dialectOf({ search }));

    expect(format).toThrow(`no search operator for ${operator}`);
  });

  it.each([',', ':', '=', 'a,b=eq:c', '\n', '\u0000', '\ud800'])(
    'rejects %j in a value, since there is no escape for it',
    (value) => {
      expect(() => searchOf(amount('EQ', value))).toThrow(InputError);
      expect(() => searchOf(amount('IN', 'fine', value))).toThrow(InputError);
    },
  );

  it('rejects the separator in a value of IN, and accepts it in any other', () => {
    expect(() => searchOf(amount('IN', 'a|b'))).toThrow(InputError);
    expect(searchOf(amount('EQ', 'a|b'))).toBe('amount=eq:a|b');
  });

  it('carries every value that it accepts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        fc.pre(!/[,:=\p{Cc}\p{Cs}]/u.test(value));

        expect(searchOf(amount('EQ', value))).toBe(`amount=eq:${value}`);
      }),
    );
  });
});

describe('a search by many ids', () => {
  const group = (ids: readonly string[], maxPageSize = 100) =>
    groupByCriterion('idForm', ids, dialectOf({ list: { maxPageSize } }))?.map(
      ({ values }) => values,
    );

  it('is split so that each URL stays within common limits, and loses no id', () => {
    const ids = fc.uniqueArray(
      fc.string({ unit: fc.constantFrom('a', 'é', '😀'), minLength: 1, maxLength: 250 }),
    );
    fc.assert(
      fc.property(ids, (ids) => {
        const groups = group(ids, 1_000) ?? [];

        expect(groups.flat()).toEqual(ids);
        for (const values of groups)
          expect(encodeURIComponent(values.join('|')).length).toBeLessThanOrEqual(3_000);
      }),
    );
  });

  it('is split where long ids fill a URL before they fill a page', () => {
    const ids = Array.from({ length: 40 }, (_, index) => `${index}`.padStart(200, 'x'));

    expect(group(ids)?.map(({ length }) => length)).toEqual([7, 7, 7, 7, 7, 5]);
  });

  it('omits ids that the notation cannot express', () => {
    expect(group(['a', 'b|c', 'd,e', 'f:g', 'h=i', 'j'])).toEqual([['a', 'j']]);
  });
});
