import { describe, expect, it } from 'vitest';

import { openCalls, shareCalls } from './support.ts';

const call = shareCalls();

const EMPLOYEES = '/forms/employee/instances';
const ids = async (query: string, path = EMPLOYEES): Promise<readonly number[]> => {
  const { body } = await call('GET', `${path}?${query}`);
  return body.items.map(({ idInstance }) => idInstance);
};

describe('sort', () => {
  it.each([
    ['ascending with a sign', 'sort=%2BhiredOn', [1, 2, 3, 4, 5]],
    ['ascending with a + that arrives as a space', 'sort=+hiredOn', [1, 2, 3, 4, 5]],
    ['ascending without a sign', 'sort=name', [12, 7, 5, 11, 1]],
    ['descending', 'sort=-hiredOn', [11, 10, 9, 7, 12]],
    ['numbers as numbers, empty ones last when descending', 'sort=-approvalLimit', [1, 2, 3, 4, 5]],
    ['empty ones first when ascending', 'sort=approvalLimit', [9, 10, 11, 12, 8]],
    ['by several keys with their own signs', 'sort=department,-name', [4, 10, 9, 8, 2]],
    ['equal ones by idInstance', 'sort=-active', [1, 2, 3, 4, 5]],
    ['by idInstance', 'sort=-idInstance', [12, 11, 10, 9, 8]],
  ])('orders %s', async (_what, query, first) => {
    expect((await ids(query)).slice(0, 5)).toEqual(first);
  });

  it.each(['colour', '-', '+name,,', 'values_json'])('rejects "%s" and names it', async (sort) => {
    const { status, body } = await call('GET', `${EMPLOYEES}?${new URLSearchParams({ sort })}`);
    expect([status, body.errorCode]).toEqual([400, 'INVALID_QUERY']);
    expect(body.message).toContain('to sort by');
  });

  it('sorts forms by their own members', async () => {
    const { body } = await call('GET', '/forms?sort=-version');
    const found = body.items.map(({ idForm }) => idForm);
    expect(found).toEqual(['purchase-request', 'expense', 'employee', 'supplier']);
  });
});

describe('pages', () => {
  const PATH = '/forms/purchase-request/instances';
  const page = async (query: string, path = PATH) => (await call('GET', `${path}?${query}`)).body;
  const rels = ({ links }: { links: readonly { rel: string }[] }) => links.map(({ rel }) => rel);

  it.each([
    ['twenty items by default', '', 20, 20],
    ['at most a hundred items', 'per-page=1000', 100, 60],
  ])('have %s, and say so', async (_what, query, size, count) => {
    const body = await page(query);
    expect(body).toMatchObject({ total: 60, 'page-number': 1, 'per-page': size });
    expect(body.items).toHaveLength(count);
    expect(body.links[0]?.href).toBe(`/v1.0${PATH}?page-number=1&per-page=${size}`);
  });

  it('are empty beyond the last one, and link back', async () => {
    const body = await page('page-number=99&per-page=25');
    expect([body.items, body.total]).toEqual([[], 60]);
    const href = `/v1.0${PATH}?page-number=3&per-page=25`;
    expect(body.links).toContainEqual({ rel: 'prev', href, methods: ['GET'] });
    expect((await page('page-number=9007199254740991&per-page=100')).items).toEqual([]);
  });

  it.each([
    ['page-number=1', ['self', 'first', 'next', 'last']],
    ['page-number=2', ['self', 'first', 'prev', 'next', 'last']],
    ['page-number=3', ['self', 'first', 'prev', 'last']],
    ['search=idInstance=lt:0', ['self', 'first', 'last']],
  ])('link to the pages around %s', async (query, expected) => {
    expect(rels(await page(query))).toEqual(expected);
  });

  it('cover a list exactly by following next, with the same search and order', async () => {
    const seen: number[] = [];
    let next: string | undefined =
      `${PATH}?search=status=eq:approved,urgent=ne:true&sort=%2Bamount&per-page=7`;
    while (next !== undefined) {
      const { body } = await call('GET', next);
      seen.push(...body.items.map(({ idInstance }) => idInstance));
      const link = body.links.find(({ rel }) => rel === 'next');
      next = link?.href.replace('/v1.0', '');
    }
    expect(seen).toEqual(
      await ids('search=status=eq:approved,urgent=ne:true&sort=%2Bamount&per-page=100', PATH),
    );
    expect(new Set(seen).size).toBe(seen.length);
  });

  const WRONG = [
    'page-number=0',
    'page-number=1.5',
    'page-number=',
    'page-number=9007199254740993',
  ];
  it.each([...WRONG, 'per-page=1e2', 'per-page=10&per-page=20'])('reject %s', async (query) => {
    const { status, body } = await call('GET', `${PATH}?${query}`);
    expect([status, body.errorCode]).toEqual([400, 'INVALID_QUERY']);
    expect(body.message).toContain(query.split('=')[0]);
  });

  it('show only the forms that the caller may read', async () => {
    const clerk = await openCalls('clerk');
    const { body } = await clerk('GET', '/forms');
    expect(body.total).toBe(3);
    expect((await clerk('GET', '/forms/employee')).status).toBe(403);
  });
});
