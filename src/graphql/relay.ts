import { isDeepStrictEqual } from 'node:util';
import type { CriterionInput, QueryFormsArgs } from '../__generated__/resolvers.ts';
import { InputError, orUndefined } from '../core/errors.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { oncePer } from '../core/once-per.ts';
import type { Loaders } from '../loaders/index.ts';
import type { ListKey, ListSlice } from '../loaders/list-range.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { type Entity, type EntityName, keyOf, ownIdOf, parentsOf } from '../upstream/operation.ts';
import { ENTITIES, type EntityRecord, findEntity } from '../upstream/operations.ts';
import { isInt64 } from '../upstream/path.ts';
import type { Ids, RecordKey, SomeIds } from '../upstream/records.ts';
import { FORMS } from '../upstream/resources/forms.ts';
import { INSTANCES } from '../upstream/resources/instances.ts';
import { type Criterion, findSearchProblem, isPattern } from '../upstream/search.ts';
import type { OperationContext } from './context.ts';
import { namesOfForm, type SchemaInfo } from './form-field.ts';
import {
  findTargets,
  type ReferenceCondition,
  type SearchKey,
  type TargetSource,
} from './reference-conditions.ts';
import { MAX_SEARCH_LENGTH, searchLength } from './search-length.ts';
import { invalidAt, readAt, type Violation } from './violations.ts';

/** The parsed contents of a global id. */
export interface NodeKey {
  readonly entity: Entity<EntityRecord>;
  readonly ids: RecordKey & Ids;
}

/** Creates a global id: a tuple in base64url. Different records have different ids. */
export const formatNodeId = (kind: string, ...ids: readonly string[]): string =>
  Buffer.from(JSON.stringify([kind, ...ids])).toString('base64url');

/** Returns a function that creates the global ids of records of one kind. */
export const nodeIdsOf =
  ({ kind, path }: EntityName) =>
  (ids: SomeIds): string =>
    formatNodeId(kind, ...path.map((name) => String(ids[name])));

/**
 * Parses a global id.
 *
 * @throws {InputError} for any other text.
 */
export function parseNodeId(id: string): NodeKey {
  const key = findNodeKey(id);
  if (key) return key;
  throw new InputError(
    'This is not a global id of this graph; use a value returned by an `id` field.',
  );
}

/** Loads the record of a global id. */
export const loadNode = ({ entity, ids }: NodeKey, loaders: Loaders) => loaders.load(entity, ids);

/**
 * Returns the platform's id of a record. `id` is the platform's id or the global id.
 *
 * @param around the ids of the enclosing records.
 * @throws {InputError} for any other text, and for a global id of another record type or another
 *   parent. Its message continues a sentence after the id's name.
 */
function toId(entity: Entity<SomeIds>, id: string, around: SomeIds = {}): string {
  const key = findNodeKey(id);
  const isOfKind = key?.entity.kind === entity.kind;
  const isSame =
    isOfKind && isDeepStrictEqual(parentsOf(entity, key.ids), parentsOf(entity, around));
  if (key === undefined || isSame) {
    const ownId = key?.ids[ownIdOf(entity)] ?? id;
    if (entity.find?.isId(ownId) !== false) return ownId;
    const kind = entity.kind === INSTANCES.kind ? ', an integer,' : '';
    throw new InputError(`must be an id of the platform${kind} or a global id`);
  }
  const { formId } = key.ids;
  if (isOfKind && formId !== around.formId) throw new OtherFormError(formId, String(around.formId));
  throw new InputError(`is a global id, but not of ${entity.called}`);
}

/**
 * The error for the global id of an instance of another form. The client has sent both form ids, so
 * the message may contain them.
 */
export class OtherFormError extends InputError {
  readonly formId: string;

  constructor(formId: string, needed: string) {
    const name = (id: string) => JSON.stringify(id.slice(0, MAX_QUOTED_LENGTH));
    super(`is of the form ${name(formId)}, must be of ${name(needed)}`);
    this.formId = formId;
  }
}

const MAX_QUOTED_LENGTH = 100;

export const toFormId = (id: string): string => toId(FORMS, id);
export const toInstanceId = (formId: string, id: string): string => toId(INSTANCES, id, { formId });

/**
 * Replaces global ids in arguments by the platform's ids, and adds the `fixed` ids.
 *
 * @param path the place of `given` in the arguments.
 * @throws {ViolationError} for anything else than a platform's id or the global id of this record.
 */
export function toPlatformIds<T extends SomeIds>(
  given: T,
  fixed: SomeIds = {},
  path: Violation['path'] = [],
): T {
  const ids: { -readonly [Name in keyof SomeIds]: SomeIds[Name] } = { ...given, ...fixed };
  for (const entity of ENTITIES) {
    const name = ownIdOf(entity);
    const id = given[name];
    if (id !== undefined && fixed[name] === undefined)
      ids[name] = readAt([...path, name], () => toId(entity, String(id), ids));
  }
  return ids as T;
}

/** Parses a global id. Returns `undefined` for any other text. */
export function findNodeKey(text: string): NodeKey | undefined {
  if (!text.startsWith(TUPLE)) return undefined;
  const tuple: unknown = orUndefined(() => JSON.parse(Buffer.from(text, 'base64url').toString()));
  if (!Array.isArray(tuple) || !tuple.every((part) => typeof part === 'string')) return undefined;
  const [kind = '', ...ids] = tuple;
  const entity = findEntity(kind);
  if (entity?.path.length !== ids.length || formatNodeId(kind, ...ids) !== text) return undefined;
  return {
    entity,
    ids: keyOf(entity, Object.fromEntries(entity.path.map((name, at) => [name, ids[at]]))),
  };
}

/** The start of every encoded tuple. */
const TUPLE = Buffer.from('["F').toString('base64url').slice(0, 3);

/** The default and the highest page size. Clients read longer lists page by page. */
export const PAGE_LIMITS = { defaultSize: 20, maxSize: 100 };

/** The arguments of every connection. */
export type ConnectionArgs = Readonly<QueryFormsArgs>;

/** The highest position in a list. Upstreams multiply and add positions. */
const MAX_OFFSET = 2 ** 31 - 1;

/** The arguments of a generic list, with conditions on the targets of its reference fields. */
export interface SearchArgs extends ConnectionArgs {
  readonly references?: readonly ReferenceInput[];
}

interface ReferenceInput extends Omit<ReferenceCondition, 'where'> {
  readonly where: readonly CriterionInput[];
}

/**
 * Creates a function that reads the range of a connection's arguments. It computes once for all
 * rows that share the arguments object.
 *
 * @param toGeneric converts the arguments to the generic ones. It may throw an `InputError`.
 * @throws {InputError} for arguments that contradict each other or exceed the limits.
 */
export const createListKeys = <A extends ConnectionArgs>(
  toGeneric: (args: A) => SearchArgs = (args) => args,
) => oncePer((args: A) => toListKey(toGeneric(args)));

function toListKey({ references = [], ...args }: SearchArgs): SearchKey {
  const where = (args.where ?? []).map((criterion, index) =>
    readAt(['where', index, 'value'], () => toCriterion(criterion)),
  );
  const orderBy = (args.orderBy ?? []).map(({ field, direction }) => ({ field, direction }));
  const conditions = references.map((one) => ({ ...one, where: one.where.map(toCriterion) }));
  const all = [...where, ...conditions.flatMap((one) => one.where)];
  if (searchLength(all, orderBy) > MAX_SEARCH_LENGTH) {
    const message = `and orderBy may have at most ${MAX_SEARCH_LENGTH} characters together`;
    throw invalidAt(['where'], 'maxLength', message, MAX_SEARCH_LENGTH);
  }
  const key = { where, orderBy, ...toRange(args) };
  return conditions.length > 0 ? { ...key, references: conditions } : key;
}

const toCriterion = ({ field, operator, value }: CriterionInput): Criterion => ({
  field,
  operator,
  values: toValues(operator, value),
});

/** @throws {GraphQLError} with a violation at `path` for a value that the platform's search cannot carry. */
export function checkSearched(
  path: Violation['path'],
  criterion: Pick<Criterion, 'operator' | 'values'>,
  search: Dialect['search'],
): void {
  const message = findSearchProblem(criterion, search);
  if (message !== undefined) throw invalidAt(path, 'platform', message);
}

/** Reads a range of the list inside these records. It may be searched by global ids. */
export function loadList<V extends EntityRecord>(
  entity: Entity<V>,
  around: SomeIds,
  key: SearchKey,
  context: OperationContext,
  info: SchemaInfo | undefined,
) {
  const { dialect, loaders } = context;
  const idField = entity.find?.field(dialect);
  const fields = namesOfForm(String(around.formId), context, info)?.fields;

  const toSearched = ({ field, operator, values }: Criterion): Criterion['values'] => {
    if (operator === 'LIKE' || isPattern(operator)) return values;
    if (field === idField) return values.map((id) => toId(entity, id, around));
    const target = fields?.get(field)?.reference;
    if (target === undefined) return values;
    return values.map((id) => (findNodeKey(id) ? toInstanceId(target, id) : id));
  };
  const where = key.where.map((criterion, index) => {
    const path = ['where', index, 'value'];
    const searched = { ...criterion, values: readAt(path, () => toSearched(criterion)) };
    checkSearched(path, searched, dialect.search);
    return searched;
  });
  const { lists } = loaders.of(entity, ...parentsOf(entity, around));
  return loadConnection(lists, { ...key, where }, context);
}

/** Reads a range of a list as a connection. Entries that are errors fail at their own position. */
export function loadConnection<T>(
  lists: { load(key: ListKey): Promise<ListSlice<T | Error>> },
  key: SearchKey,
  context: TargetSource,
): Promise<Connection<T>> {
  const slice = key.references
    ? findTargets(key, context).then((found) => lists.load(found))
    : lists.load(key);
  return slice.then((rows) => new Connection(rows as ListSlice<T>));
}

/** The Relay connection of a range. Edges and cursors are created only if they are selected. */
class Connection<T> {
  readonly nodes: readonly T[];
  readonly #slice: ListSlice<T>;

  constructor(slice: ListSlice<T>) {
    this.nodes = slice.rows;
    this.#slice = slice;
  }

  /**
   * The total includes the rows before the cursor. Their number comes from the cursor, which a
   * client can forge.
   */
  get totalCount(): number | undefined {
    const { total } = this.#slice;
    if (total !== undefined && total > MAX_OFFSET) throw noCursor();
    return total;
  }

  get edges() {
    return this.nodes.map((node, index) => ({ node, cursor: this.#cursorOf(index) }));
  }

  get pageInfo() {
    const { offset, rows, hasNext } = this.#slice;
    const cursor = (index: number) => (rows.length === 0 ? undefined : this.#cursorOf(index));
    return {
      hasNextPage: hasNext,
      hasPreviousPage: offset > 0,
      startCursor: cursor(0),
      endCursor: cursor(rows.length - 1),
    };
  }

  #cursorOf(index: number): string {
    const { offset, ids, total } = this.#slice;
    return ids ? formatCursor(offset + index, ids[index], total) : formatCursor(offset + index);
  }
}

function toRange({ first, after, page }: ConnectionArgs) {
  const count = first ?? PAGE_LIMITS.defaultSize;
  checkCount(count);
  if (after != null && page != null)
    throw invalidAt(['page'], 'kind', 'contradicts after; give one of them');
  if (page != null && page < 1) throw invalidAt(['page'], 'min', 'must be 1 or more', 1);

  const cursor = after == null ? undefined : parseCursor(after);
  const offset = cursor ? cursor.position + 1 : ((page ?? 1) - 1) * count;
  if (offset > MAX_OFFSET)
    throw invalidAt([cursor ? 'after' : 'page'], 'max', 'must not be beyond the end of any list');
  return { offset, count, after: cursor?.id, total: cursor?.total };
}

function checkCount(count: number): void {
  const { maxSize } = PAGE_LIMITS;
  const message = `must be from 0 to ${maxSize}`;
  if (count < 0) throw invalidAt(['first'], 'min', message, 0);
  if (count > maxSize) throw invalidAt(['first'], 'max', message, maxSize);
}

/**
 * Creates the cursor of a row from its position. If later rows are found by id, it also contains
 * the row's id and the total.
 */
const formatCursor = (...parts: readonly (number | string | undefined)[]): string =>
  Buffer.from(['at', ...parts].filter((part) => part !== undefined).join(':')).toString(
    'base64url',
  );

function parseCursor(cursor: string) {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, position, id, total] =
    /^at:(0|[1-9]\d{0,9})(?::(-?\d{1,19})(?::(0|[1-9]\d{0,14}))?)?$/.exec(text) ?? [];
  const isId = id === undefined || isInt64(id);
  const isWritten = position !== undefined && isId && formatCursor(position, id, total) === cursor;
  if (isWritten)
    return { position: Number(position), id, total: total ? Number(total) : undefined };
  throw noCursor();
}

const noCursor = () =>
  invalidAt(['after'], 'kind', 'must be a cursor of this graph, from `endCursor` or `cursor`');

function toValues(operator: CriterionInput['operator'], value: Json): string[] {
  if (operator !== 'IN') return [toText(value)];
  return Array.isArray(value) ? value.map(toText) : toText(value).split('|');
}

function toText(value: Json): string {
  const isPlain = value !== null && !Array.isArray(value) && !isJsonObject(value);
  if (isPlain) return String(value);
  throw new InputError('must be a string, a number or a boolean');
}
