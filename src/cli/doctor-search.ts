import { isDeepStrictEqual } from 'node:util';

import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { idOrderOf, isInOrder, readInIdOrder } from '../loaders/id-range.ts';
import { type ListSlice, readRange } from '../loaders/list-range.ts';
import type { Dialect, SearchOperator } from '../upstream/dialect.ts';
import { createLists } from '../upstream/list-paging.ts';
import type { List } from '../upstream/operation.ts';
import { hasOperator, type ListQuery, maxPageSizeOf, type Order } from '../upstream/search.ts';
import { combine, product } from './doctor-changes.ts';
import { type Check, fail, note, type Outcome, ok } from './doctor-check.ts';
import { type PlatformReader, pageOf } from './doctor-platform.ts';

/** One of the platform's lists, with the ids on its first page. */
export interface Listed {
  /** The kind of ids that the rows have. */
  readonly of: 'form' | 'instance';
  readonly list: List<
    { readonly formId: string },
    { readonly formId: string; readonly instanceId?: string }
  >;
  /** The form of the rows. `formId` is empty if the rows are forms. */
  readonly args: { readonly formId: string };
  readonly ids: readonly string[];
}

const LONG_AGO = new Date(0).toUTCString();
const SEARCH_HOOK = 'the hook request for getForms and getFormIntances';

/** Returns the checks of conditional requests, searches and sort order. */
export const searchChecks = (
  forms: Listed,
  list: Listed,
  platform: PlatformReader,
): readonly Check[] => [
  conditionalCheck(list, platform),
  operatorsCheck(forms, list, platform),
  orderCheck(list, platform),
];

/**
 * Returns a source to read a list, as the gateway reads it. The paging is learned from each page.
 */
const openSource = ({ list, args }: Listed, platform: PlatformReader, dialect: Dialect) => ({
  operation: list.name,
  paging: createLists(dialect, () => undefined).of(list.name, args.formId || undefined),
  readList: (query: ListQuery) => platform.read(list, { ...args, ...query }, dialect),
  idOf: (record: object) => String(Reflect.get(record, 'instanceId')),
});

const RANGE = { where: [], orderBy: [], offset: 0 } as const;

/**
 * Checks that consecutive pages have consecutive rows, how long a page can be, and that the total
 * counts all rows.
 */
export const pagingCheck = (listed: Listed, platform: PlatformReader): Check => ({
  subject: listed.of === 'form' ? 'forms' : 'list',
  hook: SEARCH_HOOK,
  async look(dialect) {
    const source = openSource(listed, platform, dialect);
    const whole = await readRange({ ...RANGE, count: source.paging.largest }, source);
    const half = Math.floor(whole.rows.length / 2);
    const second =
      half > 0 ? await readRange({ ...RANGE, offset: half, count: half }, source) : undefined;
    if (second && !isDeepStrictEqual(second.rows, whole.rows.slice(half, half * 2)))
      return fail(1_000, UNPAGED);

    const { granted, max } = source.paging;
    if (granted === max && granted !== dialect.list.maxPageSize) {
      return note(
        `a page has at most ${granted} rows: list.maxPageSize saves the gateway from finding that out`,
        2,
      );
    }
    const one = await readRange({ ...RANGE, count: 1 }, openSource(listed, platform, dialect));
    return describeTotal(whole, one.total);
  },
  async changes(dialect) {
    const source = openSource(listed, platform, dialect);
    await readRange({ ...RANGE, count: source.paging.largest }, source);
    const args = { ...listed.args, ...pageOf({ perPage: maxPageSizeOf(dialect) }) };
    const holders = holdersIn(await platform.bodyOf(listed.list, args, dialect));
    const totals = combine(holders, ['list.page', 'list.total'], dialect);
    return [{ list: { maxPageSize: source.paging.granted } }, ...totals];
  },
});

const UNPAGED =
  'two pages are not the rows of one: it ignores page-number or per-page, so lists lose or repeat rows';

/**
 * Checks the total.
 *
 * @param other the total in the response to a page of one row.
 */
function describeTotal(
  { rows, total, hasNext }: ListSlice<unknown>,
  other: number | undefined,
): Outcome {
  if (total === undefined) return note('its pages follow one another; no total is known', 1);
  const isWrong = other !== total || (!hasNext && total !== rows.length);
  if (isWrong)
    return fail(100, 'list.total names a member that does not count the rows of all pages');
  return ok('its pages follow one another');
}

/** Returns the objects of a response that are not inside a list. */
const holdersIn = (body: Json | undefined): readonly JsonObject[] =>
  isJsonObject(body) ? [body, ...Object.values(body).flatMap(holdersIn)] : [];

/** Checks that unchanged resources are answered by 304, and that old dates are not. */
const conditionalCheck = ({ list, args }: Listed, { get }: PlatformReader): Check => ({
  subject: 'conditional',
  async look(dialect) {
    if (!dialect.unchanged.isAsked) return ok('not sent, as the dialect says');
    const page = { ...args, ...pageOf({ perPage: Math.min(10, maxPageSizeOf(dialect)) }) };
    const ask = (date: string) => get(list, page, dialect, { 'if-modified-since': date });
    const { date, 'last-modified': modified = date } = (await get(list, page, dialect)).headers;
    if (modified === undefined) return note('answers have neither Last-Modified nor Date');

    const { status } = await ask(modified);
    if (status === 200)
      return note(
        '200 instead of 304 to the date of a response: conditional requests save nothing',
      );
    if (status !== 304) return fail(1, `HTTP ${status} to If-Modified-Since`);
    const { status: always } = await ask(LONG_AGO);
    return always === 304
      ? fail(1, '304 to any date, so that changes would stay unseen')
      : ok('304 to the date of one');
  },
  changes: () => [{ unchanged: { isAsked: false } }],
});

/**
 * Returns the ids that a search finds. Returns an empty list if the search is rejected or
 * unreadable.
 */
const search = (
  { list, args }: Listed,
  platform: PlatformReader,
  dialect: Dialect,
  query: Partial<ListQuery> & Pick<ListQuery, 'perPage'>,
): Promise<readonly string[]> =>
  platform.readIds(list, { ...args, ...pageOf(query) }, dialect).catch(() => []);

/** Names of operators on other platforms, and separators for the values of `in`. */
const OPERATOR_NAMES = {
  EQ: ['eq', '_eq', '$eq', 'equals', 'equal', 'is'],
  NE: ['ne', 'neq', 'notEquals', 'notEqual', 'not', 'differs'],
  GT: ['gt', 'greaterThan', 'greater', 'above', 'after'],
  GE: ['ge', 'gte', 'greaterThanOrEqual', 'greaterOrEqual', 'atLeast'],
  LT: ['lt', 'lessThan', 'less', 'below', 'before'],
  LE: ['le', 'lte', 'lessThanOrEqual', 'lessOrEqual', 'atMost'],
  LIKE: ['like', 'contains', 'matches'],
  IN: ['in', 'oneOf', 'anyOf', 'any'],
} as const;
const SEPARATORS = ['|', ';', ' '];

/** A search whose result is known in advance. */
interface Probe {
  readonly listed: Listed;
  readonly operator: SearchOperator;
  readonly asked: readonly string[];
  readonly holds: (id: string) => boolean;
}

const idMember = ({ of }: Listed) => (of === 'form' ? 'formId' : 'instanceId');

/**
 * Returns a search for each operator. Numbers are compared with the least and the greatest id, and
 * texts with the longest id.
 */
function probesOf(forms: Listed, instances: Listed): readonly Probe[] {
  const numbers = instances.ids
    .map(BigInt)
    .sort((left, right) => (left < right ? -1 : Number(left > right)));
  const [low = 0n, high = 0n] = [numbers[0], numbers.at(-1)];
  const compare = (
    operator: SearchOperator,
    asked: bigint,
    holds: (id: bigint) => boolean,
  ): Probe => ({
    listed: instances,
    operator,
    asked: [String(asked)],
    holds: (id) => holds(BigInt(id)),
  });
  const ofIds = (listed: Listed, operator: 'EQ' | 'IN'): Probe => {
    const asked = listed.ids.slice(0, operator === 'EQ' ? 1 : 2);
    return { listed, operator, asked, holds: (id) => asked.includes(id) };
  };
  const texts = forms.ids.length > 1 ? forms : instances;
  const longest = texts.ids.reduce((one, other) => (other.length > one.length ? other : one));
  const start = longest.slice(0, -1);
  return [
    ofIds(forms, 'EQ'),
    ofIds(forms, 'IN'),
    ofIds(instances, 'EQ'),
    ofIds(instances, 'IN'),
    compare('NE', low, (id) => id !== low),
    compare('GT', low, (id) => id > low),
    compare('GE', high, (id) => id >= high),
    compare('LT', high, (id) => id < high),
    compare('LE', low, (id) => id <= low),
    { listed: texts, operator: 'LIKE', asked: [longest], holds: (id) => id.includes(longest) },
    { listed: texts, operator: 'STARTS_WITH', asked: [start], holds: (id) => id.startsWith(start) },
  ];
}

/**
 * Checks that each operator returns only matching rows. A platform may ignore an operator that it
 * does not know.
 */
const operatorsCheck = (forms: Listed, instances: Listed, platform: PlatformReader): Check => {
  const isRight = async ({ listed, operator, asked, holds }: Probe, dialect: Dialect) => {
    const where = [{ field: dialect.search[idMember(listed)], operator, values: asked }];
    const found = await search(listed, platform, dialect, { perPage: listed.ids.length, where });
    const isWhole = found.length === asked.length || (operator !== 'IN' && found.length > 0);
    return isWhole && found.every(holds);
  };
  const split = async (dialect: Dialect) => {
    const known = probesOf(forms, instances).filter(({ operator }) =>
      hasOperator(operator, dialect.search),
    );
    const right: Probe[] = [];
    for (const probe of known) if (await isRight(probe, dialect)) right.push(probe);
    return { right, wrong: known.filter((probe) => !right.includes(probe)) };
  };
  const nameAll = (probes: readonly Probe[]) =>
    [...new Set(probes.map(({ operator }) => operator))].join(', ');
  return {
    subject: 'operators',
    takesFirst: true,
    isOfParts: true,
    hook: SEARCH_HOOK,
    async look(dialect) {
      if (instances.ids.length < 2) return note('one instance is too few to look at them');
      const { right, wrong } = await split(dialect);
      if (wrong.length > 0) {
        return fail(
          wrong.length,
          `${nameAll(wrong)}: other rows than these operators should give; see search.operators`,
        );
      }
      const { IN } = dialect.search.operators;
      if (IN === null)
        return note(`${nameAll(right)}; without IN, each id that is looked up takes a call`);
      return ok(nameAll(right));
    },
    async changes(dialect) {
      const { wrong } = await split(dialect);
      return wrong.slice(0, 1).flatMap((probe) => changesFor(probe, dialect));
    },
  };
};

/** Returns changes of an operator's name and notation. The last change disables the operator. */
function changesFor({ listed, operator }: Probe, dialect: Dialect): readonly JsonObject[] {
  if (operator === 'STARTS_WITH' || operator === 'CONTAINS')
    return [{ search: { pattern: { any: null } } }];
  const { search } = dialect;
  // On some platforms all operators begin with the same sign, such as `_eq`.
  const [sign] = /^[_$]?/.exec(search.operators.EQ ?? '') ?? [];
  const words = OPERATOR_NAMES[operator].map((word) => ({
    search: { operators: { [operator]: sign + word } },
  }));
  const member = idMember(listed);
  const fields = [search[member], ...dialect[listed.of].id, 'id'].map((field) => ({
    search: { [member]: field },
  }));
  const separators = [search.separator, ...SEPARATORS].map((separator) => ({
    search: { separator },
  }));
  const omitted = { search: { operators: { [operator]: null } } };
  if (operator === 'EQ') return [...product(fields, words), omitted];
  return operator === 'IN' ? [...product(separators, words), omitted] : [...words, omitted];
}

/**
 * Checks that a list is returned in the order of its ids, and that the rows after an id can be
 * read. Cursors need both.
 */
const orderCheck = (listed: Listed, platform: PlatformReader): Check => ({
  subject: 'sort',
  async look(dialect) {
    if (!dialect.list.isSorted) return ok('not requested, as the dialect says');
    if (listed.ids.length < 2) return note('one instance is too few to look at it');
    const open = (direction: Order['direction']) => [
      { field: dialect.search.instanceId, direction },
    ];
    const isSorted = async (orderBy: readonly Order[]) => {
      const found = await search(listed, platform, dialect, {
        perPage: listed.ids.length,
        orderBy,
      });
      return orderBy.every(({ direction }) => found.length > 1 && isInOrder(found, direction));
    };
    if (!(await isSorted(open('ASC'))) || !(await isSorted(open('DESC')))) return note(UNSORTED, 2);
    const isFollowed = (orderBy: readonly Order[]) =>
      isReadById(listed, orderBy, platform, dialect);
    const isPagedById = (await isFollowed(open('ASC'))) && (await isFollowed(open('DESC')));
    const faults = dialect.list.isPagedById === isPagedById ? 0 : 1;
    if (isPagedById)
      return { ...ok('both directions, and the rows after an id are found'), faults };
    return note(
      'both directions; the rows after an id are not found, so cursors are positions',
      faults,
    );
  },
  changes: ({ instance }) => [
    ...[true, false].map((isPagedById) => ({ list: { isPagedById } })),
    ...instance.id.map((instanceId) => ({ search: { instanceId } })),
    { list: { isSorted: false } },
  ],
});

const UNSORTED =
  'a list does not come in the order of its ids that is requested, so orderBy has no effect';

/**
 * Reads two rows in the order of ids, as the gateway does for a list with unknown paging. Returns
 * whether cursors by id work.
 */
async function isReadById(
  listed: Listed,
  orderBy: readonly Order[],
  platform: PlatformReader,
  dialect: Dialect,
) {
  const open = { ...dialect, list: { ...dialect.list, isPagedById: undefined } };
  const order = idOrderOf(listed.list.name, { orderBy }, open);
  if (order === undefined) return false;
  const source = { ...openSource(listed, platform, open), order };
  const head = await readInIdOrder({ ...RANGE, count: 1 }, source);
  const after = { after: head.ids?.[0], total: head.total };
  const next = await readInIdOrder({ ...RANGE, ...after, offset: 1, count: 1 }, source);
  return next.ids !== undefined;
}
