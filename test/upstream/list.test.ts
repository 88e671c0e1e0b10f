import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import { decodeForm, decodeList } from '../../src/upstream/decoders.ts';
import { UnrecognisedError } from '../../src/upstream/promised.ts';
import { getForms } from '../../src/upstream/resources/forms.ts';
import { dialectOf, openPlatform, recordOf } from './support/open.ts';

const dialect = dialectOf();
const ROWS = [{ id: 1 }, { id: 2 }];
const LINKS = [{ rel: 'self', href: '/here' }];

const read = (body: Json | undefined, link?: string) =>
  decodeList('getForms', { body, headers: { link } }, dialect, (item) => item);

describe('the items of a list', () => {
  it.each(['items', 'data', 'results', 'content', 'forms', 'instances'])(
    'are found under %s, beside other arrays',
    (name) => {
      expect(read({ [name]: ROWS, warnings: [], facets: [1] }).items).toEqual(ROWS);
    },
  );

  it.each<[string, Json]>([
    ['a bare array', ROWS],
    ['an empty bare array', []],
    ['the only array of an object, whatever its name', { requisitions: ROWS, total: 2 }],
    ['the only array besides the links', { requisitions: ROWS, links: LINKS }],
    ['the only array under _embedded', { _embedded: { 'purchase-requests': ROWS }, _links: {} }],
    [
      'a known name under _embedded, beside other arrays',
      { _embedded: { items: ROWS, others: [] } },
    ],
    ['an empty array under a known name', { items: [], total: 0 }],
  ])('may be %s', (_where, body) => {
    const isEmpty =
      JSON.stringify(body).includes('[]') && !JSON.stringify(body).includes('{"id":1}');

    expect(read(body).items).toEqual(isEmpty ? [] : ROWS);
  });

  it.each<[string, Json | undefined]>([
    ['nothing, as with 204', undefined],
    ['null under a known name', { items: null }],
    ['null under a known name, beside a total', { data: null, total: 0 }],
    ['null under _embedded', { _embedded: null }],
    ['no member beside a total of 0', { total: 0 }],
    [
      'no member beside a total of 0 as text, within a page',
      { page: { totalElements: '0', number: 1 } },
    ],
    [
      'no member under _embedded beside a total of 0',
      { _embedded: {}, page: { totalElements: 0 } },
    ],
    ['null beside another array that has none', { items: null, warnings: [] }],
  ])('are none where the list is %s', (_what, body) => {
    expect(read(body).items).toEqual([]);
  });

  it('are none where a header says that there are none', () => {
    expect(
      decodeList('getForms', { body: {}, headers: { 'x-total-count': '0' } }, dialect, String)
        .items,
    ).toEqual([]);
  });

  it.each<[string, Json]>([
    ['a text', 'items'],
    ['null', null],
    ['an object without a list', { state: 'OK' }],
    ['an object without a list, beside a total', { total: 5 }],
    ['an object with two unknown arrays', { rows: ROWS, columns: [] }],
    ['an object with links only', { links: LINKS }],
    ['a list under a member that is an object', { items: { a: 1 } }],
  ])('are not guessed from %s', (_what, body) => {
    expect(() => read(body)).toThrow(UnrecognisedError);
  });

  const readIds = (body: Json) =>
    decodeList(
      'getForms',
      { body, headers: {} },
      dialect,
      (item) => decodeForm(item, dialect).formId,
    ).items;

  it('are an error each where they have no id, beside others', () => {
    const unreadable = expect.objectContaining({ failure: 'malformed', operation: 'getForms' });

    expect(readIds([{ id: 'a' }, { name: 'b' }, null, 'c', { id: 'd' }])).toEqual([
      'a',
      unreadable,
      unreadable,
      unreadable,
      'd',
    ]);
  });

  it('are one error if no row has an id', () => {
    expect(() => readIds([{ name: 'a' }, { name: 'b' }])).toThrow('form id');
  });
});

describe('the total of a list', () => {
  it.each(['total', 'totalCount', 'totalElements', 'count'])(
    'is found under %s, also within a page',
    (name) => {
      expect(read({ items: ROWS, [name]: 12 }).total).toBe(12);
      expect(read({ items: ROWS, page: { [name]: 12, number: 1 } }).total).toBe(12);
      expect(read({ items: ROWS, meta: { pagination: { [name]: 12 } } }).total).toBe(12);
    },
  );

  it.each([12, '12', '0012', 12.0])('is read from %j', (total) => {
    expect(read({ items: ROWS, total }).total).toBe(12);
  });

  it.each([
    -1,
    1.5,
    2 ** 31,
    1e30,
    'many',
    '-1',
    '1.5',
    '',
    ' ',
    '1e3',
    null,
    {},
    [],
    true,
    '99999999999999999999',
  ])('is not read from %j, and from the next member that is a count', (total) => {
    expect(read({ items: ROWS, total }).total).toBeUndefined();
    expect(read({ items: ROWS, total, count: 12 }).total).toBe(12);
  });

  it('may be one of the page by the name of its member, unless the dialect names that', () => {
    const named = dialectOf({ list: { total: ['count'] } });
    const decode = (body: Json, as = dialect) =>
      decodeList('getForms', { body, headers: {} }, as, (item) => item);

    expect(decode({ items: ROWS, count: 2 })).toMatchObject({ total: 2, isCount: true });
    expect(decode({ items: ROWS, total: 2, count: 1 })).toMatchObject({ total: 2, isCount: false });
    expect(decode({ items: ROWS, count: 2 }, named)).toMatchObject({ total: 2, isCount: false });
  });

  it('is unknown for a bare array', () => {
    expect(read(ROWS)).toMatchObject({ total: undefined, hasNext: undefined });
  });
});

describe('the next page of a list', () => {
  it.each<[string, Json, string | undefined]>([
    ['links', { items: ROWS, links: [...LINKS, { rel: 'next', href: '/2' }] }, undefined],
    ['_links', { items: ROWS, _links: { self: { href: '/1' }, next: { href: '/2' } } }, undefined],
    ['a Link header', ROWS, '</1>; rel="prev", </2>; rel="next"'],
  ])('is announced by a next link in %s', (_where, body, header) => {
    expect(read(body, header).hasNext).toBe(true);
  });

  it.each<[string, Json, string | undefined]>([
    [
      'links of each row',
      { items: ROWS, _links: { item: Array(2_000).fill({ href: '/1' }), prev: { href: '/1' } } },
      undefined,
    ],
    ['links', { items: ROWS, links: [{ rel: 'prev', href: '/1' }] }, undefined],
    ['_links', { items: ROWS, _links: { first: { href: '/1' } } }, undefined],
    ['a Link header', ROWS, '</1>; rel="first"'],
  ])('does not exist where %s link other pages but no next', (_where, body, header) => {
    expect(read(body, header).hasNext).toBe(false);
  });

  it('is unknown where no link leads to a page, since the list may simply not link its pages', () => {
    const body = {
      items: ROWS,
      links: [...LINKS, { rel: 'create', href: '/here', method: 'POST' }],
    };

    expect(read(body).hasNext).toBeUndefined();
  });

  it('is announced over the wire by the second of two Link headers', async () => {
    const headers = { link: ['</forms>; rel="self"', '</forms?page-number=2>; rel="next"'] };
    const { upstream } = await openPlatform({ status: 200, headers, body: [{ idForm: 'a' }] });

    const page = await recordOf(
      upstream.read(getForms, { where: [], orderBy: [], pageNumber: 1, perPage: 1 }),
    );

    expect(page).toMatchObject({ items: [{ formId: 'a' }], hasNext: true });
  });
});
