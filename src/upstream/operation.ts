import type { Json } from '../core/json.ts';
import { type Tag, toTag } from '../core/request-state.ts';
import type { Dialect } from './dialect.ts';
import type { Answer, Promised } from './promised.ts';
import type {
  CONTENT_NAMES,
  Ids,
  PageRecord,
  RecordKey,
  RuleKey,
  SomeIds,
  VERBS,
} from './records.ts';
import type { ListQuery } from './search.ts';

/**
 * A permission that a call requires. Every kind needs a rule in the roles; otherwise the code does
 * not compile.
 */
export type Permission =
  | {
      readonly of: 'forms';
      readonly verb: 'look at' | (typeof VERBS)[number];
      /** Absent if a permission for any form is enough. */
      readonly formId?: string;
    }
  | { readonly of: 'processes'; readonly process: string; readonly attributes?: unknown }
  | { readonly of: 'cases'; readonly attributes?: unknown }
  | ({ readonly of: 'rules' } & RuleKey);

/** The record of one operation of the interface. */
interface Operation<A, T> {
  /** The name in the interface, with its spelling. The export in `resources/` has the same name. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Returns the path below `{base_url}/v1.0`, without query.
   *
   * @throws {InputError} for an id that cannot be in a path.
   */
  path(args: A): string;
  /**
   * Returns a list's query, with question mark.
   *
   * @throws {InputError} for a search that the notation cannot express.
   */
  query?(args: A, dialect: Dialect): string;
  /**
   * Returns the names for search and order, in addition to the form's fields if `hasFormFields`.
   */
  fields?(dialect: Dialect): readonly string[];
  readonly hasFormFields?: true;
  /** The expected 2xx response. */
  readonly promises: Promised<A>;
  /** Decodes a recognised 2xx response. Throws if it has no record. */
  decode(answer: Answer, dialect: Dialect, args: A): T;
  needs(args: A): Permission;
}

/**
 * An operation without effect. It may be repeated. The operation decides this, not its method: one
 * PUT only reads.
 */
export interface Read<A, T> extends Operation<A, T> {
  readonly is: 'read';
  /** The result of a 404: an absent record or an error. */
  readonly notFound: 'undefined' | 'error';
  /**
   * `definitions` for data that no operation changes. Otherwise returns the cache tags of the
   * response.
   */
  readonly tags: 'definitions' | ((args: A) => Tags);
}

/** A read of one page of a list. An unrecognised item is an error at its position. */
export interface List<A, V> extends Read<A & ListQuery, PageRecord<V | Error>> {
  path(args: A): string;
  needs(args: A): Permission;
  query(args: A & ListQuery, dialect: Dialect): string;
  fields(dialect: Dialect): readonly string[];
}

/** The arguments of a change: ids, and contents that the audit counts. Any other name does not compile. */
export type Audited<A> = {
  readonly [Name in keyof A]: Name extends keyof Ids
    ? string
    : Name extends (typeof CONTENT_NAMES)[number]
      ? object | string | null | undefined
      : never;
};

/**
 * An operation with an effect. Only `change` of a context sends it: once per key, with audit and
 * invalidation.
 */
export interface Change<A extends Audited<A>, T> extends Operation<A, T> {
  readonly is: 'change';
  /** Whether a 2xx response must have a JSON body. */
  readonly hasBody: boolean;
  /** Whether a 410 confirms the change, as for a deletion. */
  readonly isDoneIfGone?: boolean;
  /** Returns the body. Absent for operations without a body. */
  body?(args: A, dialect: Dialect): Json;
  /** Returns the cache tags that it invalidates. */
  invalidates(args: A): 'everything' | Tags;
}

/** The names of a kind of records. */
export interface EntityName {
  /** The kind in records and global ids. */
  readonly kind: string;
  /** Ends the sentence "is a global id, but not of …". */
  readonly called: string;
  /** The names of its ids: the ids of enclosing records, outermost first, and its own id. */
  readonly path: readonly [...around: (keyof Ids)[], own: keyof Ids];
}

/** A kind of records with ids. */
export interface Entity<V extends SomeIds> extends EntityName {
  readonly list: List<Ids, V>;
  /** Absent if the interface reads records only through their list. */
  readonly one?: Read<Ids, V | undefined>;
  /** Finds several records by id. Absent if the list has no such search. */
  readonly find?: {
    /** Returns the search field with the id. */
    field(dialect: Dialect): string;
    /** Returns whether an id can be searched. */
    isId(id: string): boolean;
  };
  /** Returns whether a listed record is incomplete. It is then read on its own. */
  isSummary?(record: V): boolean;
}

/** Returns the operation that reads a single record. */
export const readOf = ({ one, list }: Pick<Entity<SomeIds>, 'one' | 'list'>): ReadOperation =>
  one ?? list;

/** Returns the name of a record's own id. */
export const ownIdOf = ({ path }: EntityName): keyof Ids => path[path.length - 1] as keyof Ids;

/** Returns the ids of a record's enclosing records, outermost first. */
export const parentsOf = ({ path }: EntityName, ids: SomeIds): readonly string[] =>
  path.slice(0, -1).map((name) => String(ids[name]));

/** Returns the kind and the ids of a record, without its other members. */
export const keyOf = ({ kind, path }: EntityName, ids: SomeIds): RecordKey & Ids =>
  Object.fromEntries([
    ['kind', kind],
    ['isKey', true],
    ...path.map((name) => [name, String(ids[name])]),
  ]);

/** The members of an operation that do not depend on its arguments. */
export type AnyOperation = Pick<Operation<never, unknown>, 'name' | 'method'> &
  (
    | Pick<Read<never, unknown>, 'is' | 'tags'>
    | Pick<Change<Record<never, never>, unknown>, 'is' | 'hasBody'>
  );

/**
 * Returns the cache tags for records of one kind. All lists inside an outermost record share one
 * tag, whatever their search and order, so that the lists of many rows count as one. A nested
 * record also depends on the lists of its enclosing records.
 */
export function tagsOf(called: string, path: readonly [keyof Ids, keyof Ids, ...(keyof Ids)[]]) {
  const [outermost, , ...inner] = path;
  const record = (ids: SomeIds): Tag => toTag(called, ...path.map((name) => String(ids[name])));
  const lists = (ids: SomeIds, depth = inner.length): Tag =>
    toTag('lists', String(ids[outermost]), ...inner.slice(0, depth));
  const around = (ids: SomeIds) => inner.map((_name, depth) => lists(ids, depth));
  return {
    record,
    lists,
    /** Returns the tags for the read of a record. */
    ofOne: (ids: SomeIds): Tags => [record(ids), ...around(ids)],
    /** Returns the tags for the read of a list. */
    ofList: (ids: SomeIds): Tags => [lists(ids), ...around(ids)],
    /** Returns the tags that a change of a record invalidates. */
    ofChange: (ids: SomeIds): Tags => [lists(ids), record(ids)],
  };
}

type Tags = readonly [Tag, ...Tag[]];

type ReadOperation = Pick<Read<Ids, unknown>, 'name' | 'method' | 'is' | 'needs'> &
  Pick<Read<never, unknown>, 'tags'>;

export const isDefinition = (operation: AnyOperation | undefined): boolean =>
  operation?.is === 'read' && operation.tags === 'definitions';
