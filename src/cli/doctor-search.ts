import type { JsonObject } from '../core/json.ts';
import { readAnswer } from '../upstream/answer.ts';
import type { HttpResponse } from '../upstream/call.ts';
import type { Dialect, SearchOperator } from '../upstream/dialect.ts';
import { getForms } from '../upstream/resources/forms.ts';
import { getFormIntances } from '../upstream/resources/instances.ts';
import { hasOperator, type ListQuery } from '../upstream/search.ts';
import type { GetOptions, Reads } from './doctor.ts';

/** One of the platform's lists, with the ids on its first page. */
export interface List {
  /** Whose ids its items have. */
  readonly of: 'form' | 'instance';
  /** The name of the operation that reads it. */
  readonly operation: string;
  /** The form of its rows, if they are instances. */
  readonly formId?: string;
  read(query: ListQuery, options?: GetOptions): Promise<HttpResponse>;
  readonly ids: readonly string[];
}

type Page = Partial<ListQuery> & Pick<ListQuery, 'perPage'>;

/** Returns the query of one page of a list, the first one by default. */
export const pageOf = (page: Page): ListQuery => ({ where: [], orderBy: [], pageNumber: 1, ...page });

/** Decodes the ids of a response's items. @throws {UpstreamError} for one that cannot be read. */
export function decodeIds({ of }: List, response: HttpResponse, dialect: Dialect): readonly string[] {
  if (of === 'form') {
    return readAnswer(getForms, FIRST_PAGE, response, dialect).items.map((form) => orThrow(form).formId);
  }
  const page = readAnswer(getFormIntances, { ...FIRST_PAGE, formId: '' }, response, dialect);
  return page.items.map((instance) => orThrow(instance).instanceId);
}

function orThrow<T>(item: T | Error): T {
  if (item instanceof Error) throw item;
  return item;
}

const FIRST_PAGE: ListQuery = { where: [], orderBy: [], pageNumber: 1, perPage: 1 };

/** Reads the ids on a page, by a change of the dialect that is tried; none where it is refused or cannot be read. */
export async function idsOf(
  list: List,
  page: Page,
  { dialect }: Reads,
  tried?: JsonObject,
): Promise<readonly string[]> {
  try {
    const response = await list.read(pageOf(page), { tried });
    return decodeIds(list, response, dialect(tried));
  } catch {
    return [];
  }
}

/** Words of other platforms for the operators, and what stands between the values of an `in`. */
const OPERATOR_NAMES = {
  EQ: ['eq', 'equals', 'equal', 'is'],
  NE: ['ne', 'neq', 'notEquals', 'notEqual', 'not', 'differs'],
  GT: ['gt', 'greaterThan', 'greater', 'above', 'after'],
  GE: ['ge', 'gte', 'greaterThanOrEqual', 'greaterOrEqual', 'atLeast'],
  LT: ['lt', 'lessThan', 'less', 'below', 'before'],
  LE: ['le', 'lte', 'lessThanOrEqual', 'lessOrEqual', 'atMost'],
  LIKE: ['like', 'contains', 'matches'],
  IN: ['in', 'oneOf', 'anyOf', 'any'],
} as const;
const SEPARATORS = ['|', ';', ' '];

const idField = (list: List) => (list.of === 'form' ? 'formId' : 'instanceId');

/** Checks that a search by several ids gives those, and finds the words for it where it does not. */
export async function checkSearch(list: List, reads: Reads): Promise<void> {
  const { dialect, report, propose } = reads;
  const what = list.of === 'form' ? 'forms' : 'instances';
  const ids = list.ids.slice(0, list.ids.length > 2 ? 2 : 1);
  const member = idField(list);
  const matches = async (search: JsonObject, operator: 'EQ' | 'IN', values: readonly string[]) => {
    const where = [{ field: dialect({ search }).search[member], operator, values }];
    const found = await idsOf(list, { perPage: values.length + 1, where }, reads, { search });
    // More would mean that the search is ignored.
    return found.length === values.length && found.every((id) => values.includes(id));
  };

  const { EQ, IN } = dialect().search.operators;
  if (IN === null && (EQ === null || (await matches({}, 'EQ', ids.slice(0, 1))))) {
    return report('note', 'in search', `left out by the dialect: look-ups of several ${what} are one call each`);
  }
  if (await matches({}, 'IN', ids)) return report('ok', 'in search', `${ids.length} ${what} by their ids, in one call`);
  const fields = new Set([dialect().search[member], ...dialect()[list.of].id, 'id']);
  const equal = await findFirst(
    [...fields].flatMap((field) => OPERATOR_NAMES.EQ.map((word) => ({ [member]: field, operators: { EQ: word } }))),
    (change) => matches(change, 'EQ', ids.slice(0, 1)),
  );
  const field = equal?.[member] ?? dialect().search[member];
  const separators = new Set([dialect().search.separator, ...SEPARATORS]);
  const oneOf = await findFirst(
    [...separators].flatMap((separator) =>
      OPERATOR_NAMES.IN.map((word) => ({ [member]: field, operators: { IN: word }, separator })),
    ),
    (change) => IN !== null && equal !== undefined && matches(change, 'IN', ids),
  );
  const hint = oneOf ? ', and with the words of the dialect below it does' : '';
  report('FAIL', 'in search', `a search by the ids of ${what} does not give them${hint}`);
  if (equal) propose({ search: equal });
  propose({ search: oneOf ?? { operators: { IN: null } } });
}

/** Gives the first that holds. */
async function findFirst<T>(
  candidates: readonly T[],
  holds: (candidate: T) => false | Promise<boolean>,
): Promise<T | undefined> {
  for (const candidate of candidates) if (await holds(candidate)) return candidate;
  return undefined;
}

/** A search whose rows are known to be among those that hold. */
interface Probe {
  readonly list: List;
  readonly operator: SearchOperator;
  readonly asked: string;
  readonly holds: (id: string) => boolean;
}

/** Makes a search for each operator: numbers are compared with the least and the greatest id, texts with the longest. */
function probesOf(forms: List, instances: List): readonly Probe[] {
  const numbers = instances.ids.map(BigInt).sort((left, right) => (left < right ? -1 : Number(left > right)));
  const [low = 0n, high = 0n] = [numbers[0], numbers.at(-1)];
  const compare = (operator: SearchOperator, asked: bigint, holds: (id: bigint) => boolean): Probe => ({
    list: instances,
    operator,
    asked: String(asked),
    holds: (id) => holds(BigInt(id)),
  });
  const texts = forms.ids.length > 1 ? forms : instances;
  const longest = texts.ids.reduce((one, other) => (other.length > one.length ? other : one));
  const start = longest.slice(0, -1);
  return [
    compare('EQ', low, (id) => id === low),
    compare('NE', low, (id) => id !== low),
    compare('GT', low, (id) => id > low),
    compare('GE', high, (id) => id >= high),
    compare('LT', high, (id) => id < high),
    compare('LE', low, (id) => id <= low),
    { list: texts, operator: 'LIKE', asked: longest, holds: (id) => id.includes(longest) },
    { list: texts, operator: 'STARTS_WITH', asked: start, holds: (id) => id.startsWith(start) },
  ];
}

/** Checks that each operator gives rows for which it holds, and no others: a platform may ignore what it does not know. */
export async function checkOperators(forms: List, instances: List, reads: Reads): Promise<void> {
  const { dialect, report, propose } = reads;
  if (new Set(instances.ids).size < 2) return report('note', 'operators', 'one instance is too few to look at them');
  const isRight = async ({ list, operator, asked, holds }: Probe, search: JsonObject = {}) => {
    const where = [{ field: dialect({ search }).search[idField(list)], operator, values: [asked] }];
    const found = await idsOf(list, { perPage: list.ids.length, where }, reads, { search });
    return found.length > 0 && found.every(holds);
  };
  const findChange = async (probe: Probe): Promise<readonly [finding: string, change: JsonObject]> => {
    const { operator } = probe;
    if (operator === 'STARTS_WITH' || operator === 'CONTAINS') {
      const any = JSON.stringify(dialect().search.pattern.any);
      return [`${any} does not stand for any characters in a text to search for`, { pattern: { any: null } }];
    }
    const toChange = (word: string | null) => ({ operators: { [operator]: word } });
    const word = await findFirst(OPERATOR_NAMES[operator], (one) => isRight(probe, toChange(one)));
    const wrong = `${operator} gives other rows than it should`;
    return [word ? `${wrong}, and the right ones as "${word}"` : wrong, toChange(word ?? null)];
  };
  const right: string[] = [];
  for (const probe of probesOf(forms, instances)) {
    if (!hasOperator(probe.operator, dialect().search)) continue;
    if (await isRight(probe)) {
      right.push(probe.operator);
      continue;
    }
    const [finding, search] = await findChange(probe);
    report('FAIL', 'operators', finding);
    propose({ search });
  }
  if (right.length > 0) report('ok', 'operators', right.join(', '));
}

/** Checks that a list comes in the order of its ids that is asked for, and that the rows after an id can be. */
export async function checkOrder(list: List, reads: Reads): Promise<void> {
  const { dialect, report, propose } = reads;
  if (!dialect().list.isSorted) return report('ok', 'sort', 'not requested, as the dialect says');
  const field = dialect().search[idField(list)];
  const read = (direction: 'ASC' | 'DESC', where: ListQuery['where'] = []) =>
    idsOf(list, { perPage: list.ids.length, orderBy: [{ field, direction }], where }, reads);
  const isOrdered = async (direction: 'ASC' | 'DESC') => {
    const found = (await read(direction)).map(BigInt);
    const pairs = found.slice(1).map((id, at) => [found[at] ?? id, id] as const);
    return pairs.length > 0 && pairs.every(([one, next]) => (direction === 'ASC' ? one <= next : one >= next));
  };
  if (new Set(list.ids).size < 2) return report('note', 'sort', 'one instance is too few to look at it');
  if (!(await isOrdered('ASC')) || !(await isOrdered('DESC'))) {
    report('note', 'sort', 'a list does not come in the order of its ids that is requested, so orderBy has no effect');
    return propose({ list: { isSorted: false } });
  }
  report('ok', 'sort', 'both directions');

  const isFollowed = async (direction: 'ASC' | 'DESC', operator: 'GT' | 'LT') => {
    const [first = '', ...others] = await read(direction);
    const following = await read(direction, [{ field, operator, values: [first] }]);
    return others.every((id, at) => id === following[at]);
  };
  const isPagedById = (await isFollowed('ASC', 'GT')) && (await isFollowed('DESC', 'LT'));
  const finding = isPagedById
    ? 'the rows after an id are found'
    : 'the rows after an id are not found: cursors are positions';
  report(isPagedById ? 'ok' : 'note', 'pages', finding);
  if (dialect().list.isPagedById !== isPagedById) propose({ list: { isPagedById } });
}
