import { hash } from 'node:crypto';

import type { CriterionInput, QueryFormsArgs } from '../__generated__/resolvers.ts';
import type { Settings } from '../config/settings.ts';
import { InputError, orUndefined } from '../core/errors.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import type { Work } from '../core/work.ts';
import { nameOf } from '../loaders/after-row.ts';
import type { ListKey } from '../loaders/index.ts';
import type { ListSlice } from '../loaders/offset-range.ts';
import type { Criterion } from '../upstream/operations.ts';
import type { FormRecord, InstanceKey, InstanceRecord } from '../upstream/records.ts';
import { lengthOf } from './admission/input-bounds.ts';
import type { OperationContext } from './context.ts';
import { ON_PLACED } from './executor/execution.ts';

/** The kinds of objects that a global id names. */
export type NodeRecord = FormRecord | InstanceRecord;

/** The contents of a global id. */
export type NodeKey =
  | readonly [type: 'Form', formId: string]
  | readonly [type: 'Instance', formId: string, instanceId: string];

/** Writes a global id: a tuple, so that no two objects share one, made opaque. */
export function formatNodeId(key: NodeKey): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * Opens a global id.
 *
 * @throws {InputError} for anything that `formatNodeId` would not have written.
 */
export function parseNodeId(id: string): NodeKey {
  const key = findNodeKey(id);
  if (key) return key;
  throw new InputError('This is not a global id of this graph; use a value returned by an `id` field.');
}

/**
 * Gives the platform's id of a form by that or by its global id.
 *
 * @throws {InputError} for the global id of something else.
 */
export function toFormId(id: string): string {
  const key = findNodeKey(id);
  if (key === undefined) return id;
  if (key[0] === 'Form') return key[1];
  throw new InputError('This global id is not the id of a form.');
}

/**
 * Gives the platform's id of an instance of a form by that or by its global id.
 *
 * @throws {InputError} for the global id of something else.
 */
export function toInstanceId(formId: string, id: string): string {
  const key = findNodeKey(id);
  if (key === undefined) return id;
  if (key[0] === 'Instance' && key[1] === formId) return key[2];
  throw new InputError('This global id is not the id of an instance of this form.');
}

/** Gives the platform's ids of an instance, each by that or by the global id of its object. @throws {InputError} */
export function toInstanceKey<T extends InstanceKey>({ formId: form, instanceId, ...rest }: T) {
  const formId = toFormId(form);
  return { ...rest, formId, instanceId: toInstanceId(formId, instanceId) };
}

/** Opens a global id; `undefined` for anything that `formatNodeId` would not have written. */
export function findNodeKey(id: string): NodeKey | undefined {
  if (!id.startsWith(TUPLE)) return undefined;
  const key: unknown = orUndefined(() => JSON.parse(Buffer.from(id, 'base64url').toString()));
  return isNodeKey(key) && formatNodeId(key) === id ? key : undefined;
}

/** The beginning of the JSON of every tuple of strings. */
const TUPLE = Buffer.from('["F').toString('base64url').slice(0, 3);

function isNodeKey(value: unknown): value is NodeKey {
  if (!Array.isArray(value) || !value.every((part) => typeof part === 'string')) return false;
  return (value[0] === 'Form' && value.length === 2) || (value[0] === 'Instance' && value.length === 3);
}

/** The default and maximum page size of a connection. */
export type PageLimits = ReturnType<typeof pageLimitsOf>;

const DEFAULT_PAGE_SIZE = 20;

/** A page without `first` has twenty items, or as many as are allowed. */
export const pageLimitsOf = ({ PAGE_SIZE_MAX: maxSize }: Settings) => ({
  defaultSize: Math.min(DEFAULT_PAGE_SIZE, maxSize),
  maxSize,
});

/** The arguments that every connection takes. */
export type ConnectionArgs = Readonly<QueryFormsArgs>;

/** Positions are numbers that upstreams have to multiply and add; beyond this no list goes. */
const MAX_OFFSET = 2 ** 31 - 1;

/**
 * Reads the range of a connection's arguments.
 *
 * @throws {InputError} for arguments that contradict each other or go beyond the limits.
 */
export function toListKey(args: ConnectionArgs, limits: PageLimits) {
  checkSearchLength(args);
  return {
    where: (args.where ?? []).map(toCriterion),
    orderBy: (args.orderBy ?? []).map(({ field, direction }) => ({ field, direction })),
    ...toRange(args, limits),
  };
}

/** Their text is in the address and the key of each page's call, so it is measured before that is made. @throws {InputError} */
function checkSearchLength({ where, orderBy }: ConnectionArgs): void {
  let length = 0;
  const add = (characters: number) => {
    length += characters;
    if (length <= MAX_SEARCH_LENGTH) return;
    throw new InputError(`\`where\` and \`orderBy\` may have at most ${MAX_SEARCH_LENGTH} characters together.`);
  };
  for (const { field, operator, value } of where ?? []) {
    add(field.length + operator.length + 1 + lengthOf(value, MAX_SEARCH_LENGTH));
  }
  for (const { field, direction } of orderBy ?? []) add(field.length + direction.length + 1);
}

/** Names, operators, directions and values, with one character between them. */
const MAX_SEARCH_LENGTH = 4_000;

/** Reads what a connection's arguments ask for: instances of a form, or forms. @throws {InputError} for another list's cursor. */
export function loadConnection<T extends NodeRecord>(
  lists: { load(key: ListKey): Promise<ListSlice<T>> },
  formId: string | undefined,
  { after, ...key }: ReturnType<typeof toListKey>,
  { work }: OperationContext,
): Promise<Connection<T>> {
  const list = hash('sha256', JSON.stringify([formId, key.where, key.orderBy]), 'base64url').slice(0, 16);
  const isNamed = after?.list !== undefined;
  if (isNamed && after.list !== list) throw new InputError('after is a cursor of another form, `where` or `orderBy`.');
  const range = isNamed ? { ...key, after } : key;
  return lists.load(range).then((slice) => new Connection({ ...slice, list }, work));
}

type ListPart<T> = ListSlice<T> & { readonly list: string };

/** How many paths an answer names at which rows may come again. */
const MAX_REPEATED = 100;

/** The Relay connection of a range's rows. Edges, cursors and what else costs something are made only where they are selected. */
class Connection<T extends NodeRecord> {
  readonly nodes: readonly T[];
  readonly totalCount: number | undefined;
  readonly #part: ListPart<T>;
  readonly #work: Work;

  constructor(part: ListPart<T>, work: Work) {
    this.nodes = part.rows;
    this.totalCount = part.total;
    this.#part = part;
    this.#work = work;
  }

  [ON_PLACED](path: readonly (string | number)[]): void {
    if (!this.#part.isGuessed) return;
    const { repeated } = this.#work;
    if (repeated.length < MAX_REPEATED) repeated.push(path);
    // Another operation that got the same rows would not say so.
    this.#work.uncacheable = true;
  }

  get edges() {
    return this.nodes.map((node, index) => new Edge(node, () => formatCursor(this.#part, index)));
  }

  get pageInfo() {
    const { length } = this.nodes;
    const cursor = (index: number) => (length === 0 ? undefined : formatCursor(this.#part, index));
    return {
      hasNextPage: this.#part.hasNext,
      hasPreviousPage: this.#part.offset > 0,
      startCursor: cursor(0),
      endCursor: cursor(length - 1),
    };
  }
}

class Edge<T> {
  readonly node: T;
  readonly #formatCursor: () => string;

  constructor(node: T, formatCursor: () => string) {
    this.node = node;
    this.#formatCursor = formatCursor;
  }

  get cursor(): string {
    return this.#formatCursor();
  }
}

function toRange({ first, after, page }: ConnectionArgs, { defaultSize, maxSize }: PageLimits) {
  const count = first ?? defaultSize;
  if (count < 1 || count > maxSize) throw new InputError(`first must be from 1 to ${maxSize}, got ${count}.`);
  if (after != null && page != null) throw new InputError('after and page contradict each other; give one of them.');
  if (page != null && page < 1) throw new InputError(`page must be 1 or more, got ${page}.`);

  const place = after == null ? undefined : parseCursor(after);
  const offset = place ? place.position + 1 : ((page ?? 1) - 1) * count;
  if (offset > MAX_OFFSET) throw new InputError('The offset is beyond the end of any list.');
  return { offset, count, after: place };
}

/** Names a row, and up to three before it on its page. */
function formatCursor({ rows, offset, total, list }: ListPart<NodeRecord>, index: number): string {
  const named = rows.slice(Math.max(0, index - 3), index + 1).reverse();
  const names = named.map((row) => nameOf('instanceId' in row ? row.instanceId : row.formId));
  return toOpaque(['v1', list, offset + index, total, ...names].join(':'));
}

const toOpaque = (text: string): string => Buffer.from(text).toString('base64url');

/** Version, list, position, total, and names; or the position alone, as cursors were once. */
const CURSOR = /^v1:([\w-]{16}):(\d{1,10}):(\d{0,16}):([\w.-]{1,43}(?::[\w.-]{1,43}){0,3})$|^at:(0|[1-9]\d{0,9})$/;

function parseCursor(cursor: string) {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [isCursor, list, position, total, names = '', alone] = CURSOR.exec(text) ?? [];
  if (isCursor === undefined || toOpaque(text) !== cursor) {
    throw new InputError('after is not a cursor of this graph; give one back as `endCursor` or `cursor` gave it.');
  }
  const at = Number(position ?? alone);
  return { list, position: at, total: total ? Number(total) : undefined, names: names.split(':') };
}

function toCriterion({ field, operator, value }: CriterionInput): Criterion {
  return { field, operator, values: toValues(operator, value) };
}

function toValues(operator: CriterionInput['operator'], value: Json): string[] {
  if (operator !== 'IN') return [toText(value)];
  const values = Array.isArray(value) ? value.map(toText) : toText(value).split('|');
  if (values.length === 0) throw new InputError('IN needs at least one value.');
  return values;
}

function toText(value: Json): string {
  const isPlain = value !== null && !Array.isArray(value) && !isJsonObject(value);
  if (isPlain) return String(value);
  throw new InputError('A search value must be a string, a number or a boolean.');
}
