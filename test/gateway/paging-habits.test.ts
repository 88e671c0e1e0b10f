import fc from 'fast-check';
import { expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { type ScriptedAnswer, scriptPlatform } from '../support/scripted-platform.ts';
import { writeDialect } from '../support/write-dialect.ts';

/** How many lists are walked. */
const WALKS = Number(process.env['PAGING_WALKS'] ?? 450);

/** How a platform pages a list. */
interface Habits {
  readonly rows: number;
  /** Its pages are never longer. */
  readonly longestPage: number;
  readonly firstPage: 0 | 1;
  readonly body: 'items' | 'bare' | 'unknown name' | 'embedded';
  readonly empty: 'array' | 'null' | '204' | 'absent';
  readonly total: (typeof TOTALS)[number];
  readonly links: 'none' | 'next' | 'always';
  /** How the platform treats sorting by id and conditions on the id. */
  readonly ids: 'heeds' | 'ignores' | 'refuses';
}

const TOTALS = [
  'none',
  'number',
  'text',
  'header',
  'within page',
  'count of all',
  'late',
  'always 0',
  'not known',
  'rows of the page',
  'rows of the page as total',
  'of all, whatever the search',
  'too small by some rows',
] as const;

/** Whether the total counts the rows that a search finds. */
const isTrue = ({ total, body }: Habits) =>
  total === 'header' ||
  (body !== 'bare' && ['number', 'text', 'within page', 'count of all'].includes(total));

function totalOf(
  { total }: Habits,
  page: { size: number; found: number; all: number; isFirst: boolean },
): object {
  const { size, found, all, isFirst } = page;
  const stated: Partial<Record<Habits['total'], object>> = {
    number: { total: found },
    text: { totalCount: String(found) },
    'within page': { page: { totalElements: found, size } },
    'count of all': { count: found },
    late: isFirst ? {} : { total: found },
    'always 0': { total: 0 },
    'not known': { total: -1 },
    'rows of the page': { count: size },
    'rows of the page as total': { total: size },
    'of all, whatever the search': { total: all },
    'too small by some rows': { total: Math.max(0, found - 5) },
  };
  return stated[total] ?? {};
}

/** The ids of a list, as a search and an order find them; `undefined` where they are refused. */
function select(
  { rows, ids }: Habits,
  search: string,
  sort: string,
): readonly number[] | undefined {
  const all = Array.from({ length: rows }, (_, row) => row + 1);
  if (ids === 'refuses' && search + sort !== '') return undefined;
  if (ids !== 'heeds') return all;
  const after = Number(/gt:(\d+)/.exec(search)?.[1] ?? 0);
  return (sort.startsWith('-') ? all.toReversed() : all).filter((id) => id > after);
}

/** Answers a request for a page of instances, whose ids count from 1. */
function answer(habits: Habits, query: URLSearchParams): ScriptedAnswer {
  const { rows, longestPage, firstPage, empty, total } = habits;
  const search = query.get('search') ?? '';
  const found = select(habits, search, query.get('sort') ?? '');
  if (found === undefined) return { status: 400, body: { errorCode: 'INVALID' } };
  const perPage = Math.min(Number(query.get('per-page') ?? 20), longestPage);
  const number = Number(query.get('page-number') ?? firstPage) - firstPage;
  const page = number < 0 ? [] : found.slice(number * perPage, (number + 1) * perPage);
  const items = page.map((idInstance) => ({ idInstance, values: {} }));

  const isFirst = number === 0 && search === '';
  const counts = totalOf(habits, { size: items.length, found: found.length, all: rows, isFirst });
  const headers = total === 'header' ? { 'x-total-count': String(found.length) } : {};
  const rest = { ...counts, ...linksOf(habits, (number + 1) * perPage < found.length) };
  if (items.length === 0 && empty === '204') return { status: 204, body: '' };
  return { headers, body: wrap(items, habits, rest) };
}

function linksOf({ links }: Habits, isMore: boolean): object {
  const rels = links === 'always' || isMore ? ['first', 'next'] : ['first'];
  return links === 'none' ? {} : { links: rels.map((rel) => ({ rel, href: '/' })) };
}

/** Puts the rows of a page where the platform has them. */
function wrap(items: readonly object[], { body, empty }: Habits, rest: object): object {
  if (body === 'bare') return items;
  if (items.length === 0 && empty === 'null') return { items: null, ...rest };
  if (items.length === 0 && empty === 'absent' && 'total' in rest && rest.total === 0) return rest;
  if (body === 'embedded') return { _embedded: { things: items }, ...rest };
  return { [body === 'items' ? 'items' : 'things']: items, ...rest };
}

/** A gateway before a platform whose habits the test sets, by the name of the form. */
async function start(firstPage: 0 | 1 | undefined) {
  const lists = new Map<string, Habits>();
  const { env } = await scriptPlatform(({ url }) => {
    const { pathname, searchParams } = new URL(url, 'http://platform');
    const habits = lists.get(pathname.split('/')[3] ?? '');
    return habits ? answer(habits, searchParams) : { status: 404 };
  });
  const dialect = firstPage === undefined ? {} : { list: { firstPage } };
  const { execute } = await startGateway({ ...env, UPSTREAM_DIALECT: writeDialect(dialect) });
  const query = `query ($form: ID!, $first: Int!, $after: String) {
    instances(formId: $form, first: $first, after: $after) {
      totalCount nodes { instanceId } pageInfo { hasNextPage endCursor }
    }
  }`;
  /** Walks a list as a client does. */
  return async (habits: Habits, first: number) => {
    const form = `form${lists.size}`;
    lists.set(form, habits);
    const seen: number[] = [];
    const totals: (number | null)[] = [];
    for (let after: string | null = null, page = 0; page <= habits.rows + 1; page++) {
      const { data, errors } = await execute(query, { form, first, after });
      if (errors) return { seen, totals, code: errors[0]?.extensions['code'] };
      const { totalCount, nodes, pageInfo } = data.instances;
      totals.push(totalCount);
      for (const { instanceId } of nodes) seen.push(Number(instanceId));
      if (!pageInfo.hasNextPage) return { seen, totals };
      after = pageInfo.endCursor;
    }
    throw new Error('The list does not end.');
  };
}

const habitsOf = (firstPage: 0 | 1) =>
  fc
    .record({
      longestPage: fc.oneof(fc.constant(1_000), fc.integer({ min: 3, max: 30 })),
      firstPage: fc.constant(firstPage),
      body: fc.constantFrom(...(['items', 'bare', 'unknown name', 'embedded'] as const)),
      empty: fc.constantFrom(...(['array', 'null', '204', 'absent'] as const)),
      total: fc.constantFrom(...TOTALS),
      links: fc.constantFrom(...(['none', 'none', 'next', 'always'] as const)),
      ids: fc.constantFrom(...(['heeds', 'heeds', 'ignores', 'refuses'] as const)),
    })
    .chain((habits) => {
      const longest = Math.min(habits.longestPage, 40);
      const near = fc.constantFrom(0, 1, longest, 2 * longest, 2 * longest + 1, 3 * longest);
      return fc.oneof(fc.nat(90), near).map((rows) => ({ ...habits, rows }));
    });
const firsts = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constantFrom(10, 20, 40));

/**
 * A member with the number of rows of the page, and a total that is too small, look like the total
 * of a list that ends there. Only the doctor can recognise it when pages are cut.
 */
const isAmbiguous = ({ total, longestPage, body }: Habits) =>
  longestPage < 1_000 &&
  ((total === 'rows of the page as total' && body !== 'bare') ||
    total === 'too small by some rows');

// An answer without a body states no total.
const statedFrom0 = habitsOf(0).filter((list) => isTrue(list) && list.empty !== '204');

it.each([
  [
    'each row of a list comes once, or an error, whatever the habits of the platform',
    undefined,
    habitsOf(1),
    true,
  ],
  ['each row comes once where pages count from 0 as in the dialect', 0, habitsOf(0), true],
  [
    'no row is left out without an error where pages count from 0, and the dialect does not say so',
    undefined,
    statedFrom0,
    false,
  ],
] as const)(
  '%s',
  async (_what, firstPage, habits, isDescribed) => {
    const walk = await start(firstPage);
    const property = fc.asyncProperty(habits, firsts, async (list, first) => {
      fc.pre(!isAmbiguous(list));

      const { seen, totals, code } = await walk(list, first);

      if (code !== undefined) expect(code).toBe('UPSTREAM_INVALID_RESPONSE');
      else expect(seen).toEqual(Array.from({ length: list.rows }, (_, row) => row + 1));
      if (isDescribed && isTrue(list)) expect(code).toBeUndefined();
      // A total that no page contradicts is shown.
      if (list.total === 'too small by some rows') return;
      for (const total of totals) expect([null, list.rows]).toContain(total);
    });
    await fc.assert(property, { numRuns: WALKS / 3, endOnFailure: true });
  },
  600_000,
);
