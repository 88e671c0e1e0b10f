import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import { decodeList } from '../../src/upstream/decoders.ts';
import { UnrecognisedError } from '../../src/upstream/promised.ts';
import { dialectOf } from './support/open.ts';

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

  it.each<Json>([
    ROWS,
    // The only array of an object, whatever its name, besides the links.
    { requisitions: ROWS, total: 2, links: LINKS },
    { _embedded: { 'purchase-requests': ROWS }, _links: {} },
    { _embedded: { items: ROWS, others: [] } },
  ])('are read from %j', (body) => {
    expect(read(body).items).toEqual(ROWS);
  });

  it.each<Json | undefined>([
    undefined,
    [],
    { items: [] },
    { items: null },
    { _embedded: null },
    { total: 0 },
    { page: { totalElements: '0', number: 1 } },
    { _embedded: {}, page: { totalElements: 0 } },
    { items: null, warnings: [] },
  ])('are none in %j', (body) => {
    expect(read(body).items).toEqual([]);
  });

  it('are none where a header says that there are none', () => {
    const headers = { 'x-total-count': '0' };

    expect(decodeList('getForms', { body: {}, headers }, dialect, String).items).toEqual([]);
  });

  it.each<Json>([
    null,
    { total: 5 },
    { rows: ROWS, columns: [] },
    { links: LINKS },
    { items: { a: 1 } },
  ])('are not guessed from %j', (body) => {
    expect(() => read(body)).toThrow(UnrecognisedError);
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

  it.each(['12', '0012'])('is read from %j', (total) => {
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
  it.each<[body: Json, header?: string]>([
    [{ items: ROWS, links: [...LINKS, { rel: 'next', href: '/2' }] }],
    [{ items: ROWS, _links: { self: { href: '/1' }, next: { href: '/2' } } }],
    [ROWS, '</1>; rel="prev", </2>; rel="next"'],
    [ROWS, '</1>; rel="first", </2>; rel="Next"'],
    [ROWS, '</1>; rel="first", </2>; rel = "next"'],
    [{ items: ROWS, _links: { First: { href: '/1' }, NEXT: { href: '/2' } } }],
  ])('is announced by a next link in %j, %s', (body, header) => {
    expect(read(body, header).hasNext).toBe(true);
  });

  it.each<[body: Json, header?: string]>([
    [{ items: ROWS, links: [{ rel: 'prev', href: '/1' }] }],
    [{ items: ROWS, _links: { first: { href: '/1' } } }],
    // More links than a record may have.
    [{ items: ROWS, _links: { item: Array(2_000).fill({ href: '/1' }), prev: { href: '/1' } } }],
    [ROWS, '</1>; rel="first"'],
    [{ items: ROWS, next: null, links: { first: '/1', next: null, last: '/1' } }],
    [
      {
        items: ROWS,
        next: '',
        links: [
          { rel: 'First', href: '/1' },
          { rel: 'next', uri: null },
        ],
      },
    ],
  ])('does not exist where links lead to other pages alone: %j, %s', (body, header) => {
    expect(read(body, header).hasNext).toBe(false);
  });

  it.each<[body: Json, header?: string]>([
    [{ items: ROWS, links: { first: '/1' }, next: '/2' }],
    [{ items: ROWS, links: { first: '/1', next: { url: '/2' } } }],
    [{ items: ROWS, links: { first: '/1', nextPage: '/2' } }],
    [{ items: ROWS, _links: { first: '/1' }, links: [{ rel: 'next', uri: '/2' }] }],
    [
      {
        items: ROWS,
        links: [
          { rel: 'first', href: '/1' },
          { rel: 'https://r/next', href: '/2' },
        ],
      },
    ],
    [ROWS, '</1>; rel="first", </2>; rel="https://r/next"'],
    [ROWS, "</1>; rel=first, </2>; rel='next'"],
  ])('is unknown where a link in another form may lead to it: %j, %s', (body, header) => {
    expect(read(body, header).hasNext).toBeUndefined();
  });

  it('is unknown where no link leads to a page, since the list may simply not link its pages', () => {
    const links = [...LINKS, { rel: 'create', href: '/here', method: 'POST' }];

    expect(read({ items: ROWS, links }).hasNext).toBeUndefined();
  });
});
