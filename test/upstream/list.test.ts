import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import { decodeList } from '../../src/upstream/decoders.ts';
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
    ['a known name under _embedded, beside other arrays', { _embedded: { items: ROWS, others: [] } }],
    ['an empty array under a known name', { items: [], total: 0 }],
  ])('may be %s', (_where, body) => {
    const isEmpty = JSON.stringify(body).includes('[]') && !JSON.stringify(body).includes('{"id":1}');

    expect(read(body).items).toEqual(isEmpty ? [] : ROWS);
  });

  it.each<[string, Json | undefined]>([
    ['no body', undefined],
    ['an object with a total of 0', { total: 0 }],
    ['null under a known name', { items: null }],
  ])('are an empty list in %s', (_where, body) => {
    expect(read(body).items).toEqual([]);
  });

  it.each<[string, Json | undefined]>([
    ['a text', 'items'],
    ['null', null],
    ['an object without an array', { state: 'OK' }],
    ['an object with two unknown arrays', { rows: ROWS, columns: [] }],
    ['an object with links only', { links: LINKS }],
  ])('are not guessed from %s', (_what, body) => {
    expect(() => read(body)).toThrow(UnrecognisedError);
  });
});

describe('the total of a list', () => {
  it.each(['total', 'totalCount', 'totalElements', 'count'])('is found under %s, also within a page', (name) => {
    expect(read({ items: ROWS, [name]: 12 }).total).toBe(12);
    expect(read({ items: ROWS, page: { [name]: 12, number: 1 } }).total).toBe(12);
    expect(read({ items: ROWS, meta: { pagination: { [name]: 12 } } }).total).toBe(12);
  });

  it('may be a text', () => {
    expect(read({ items: ROWS, total: '12' }).total).toBe(12);
  });

  it.each([-1, 1.5, '1.5', 'many', null, {}])('is not read from %j', (total) => {
    expect(read({ items: ROWS, total }).total).toBeUndefined();
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
    ['links', { items: ROWS, links: [{ rel: 'prev', href: '/1' }] }, undefined],
    ['_links', { items: ROWS, _links: { first: { href: '/1' } } }, undefined],
    ['a Link header', ROWS, '</1>; rel="first"'],
  ])('does not exist where %s link other pages but no next', (_where, body, header) => {
    expect(read(body, header).hasNext).toBe(false);
  });

  it('is unknown where no link leads to a page, since the list may simply not link its pages', () => {
    const body = { items: ROWS, links: [...LINKS, { rel: 'create', href: '/here', method: 'POST' }] };

    expect(read(body).hasNext).toBeUndefined();
  });

  it('is announced over the wire by the second of two Link headers', async () => {
    const headers = { link: ['</forms>; rel="self"', '</forms?page-number=2>; rel="next"'] };
    const { upstream } = await openPlatform({ status: 200, headers, body: [{ idForm: 'a' }] });

    const page = await recordOf(upstream.read(getForms, { where: [], orderBy: [], pageNumber: 1, perPage: 1 }));

    expect(page).toMatchObject({ items: [{ formId: 'a' }], hasNext: true });
  });
});
