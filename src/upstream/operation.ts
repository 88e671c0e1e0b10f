import type { Json } from '../core/json.ts';
import { type Tag, toTag } from '../core/work.ts';
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

/** What a caller must be allowed. A further kind does not compile without a rule of who may. */
export type Need =
  | {
      readonly of: 'forms';
      readonly verb: 'look at' | (typeof VERBS)[number];
      /** Absent where it is enough to be allowed any. */
      readonly formId?: string;
    }
  | { readonly of: 'processes'; readonly process: string; readonly attributes?: unknown }
  | { readonly of: 'cases'; readonly attributes?: unknown }
  | ({ readonly of: 'rules' } & RuleKey);

/** One operation of the interface: all that the gateway knows of it. */
interface Operation<A, T> {
  /** Its name in the interface, spelled as there; so is its export of `resources/`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Where it stands below `{base_url}/v1.0`, without a query. @throws {InputError} for an id that cannot be in a path. */
  path(args: A): string;
  /** What is asked of a list, question mark included; of lists alone. @throws {InputError} for what cannot be asked. */
  query?(args: A, dialect: Dialect): string;
  /** The names by which a list may be searched and ordered, besides the fields of its form where it has these. */
  fields?(dialect: Dialect): readonly string[];
  readonly hasFormFields?: true;
  /** What a 2xx answer must be. */
  readonly promises: Promised<A>;
  /** Makes a record of a 2xx answer that was recognised, or throws when it holds none. */
  decode(answer: Answer, dialect: Dialect, args: A): T;
  needs(args: A): Need;
}

/** An operation that has no effect and may be repeated. Decided by operation, never by its method: here one PUT only reads. */
export interface Read<A, T> extends Operation<A, T> {
  readonly is: 'read';
  /** What a 404 says: that there is no such record, or that the read failed. */
  readonly notFound: 'undefined' | 'error';
  /** The platform's definitions, which no operation changes; else what changes name that alter its answer. */
  readonly holds: 'definitions' | ((args: A) => Tags);
}

/** A read of one page of a list. An entry that cannot be recognised is an error in its place. */
export interface List<A, V> extends Read<A & ListQuery, PageRecord<V | Error>> {
  path(args: A): string;
  needs(args: A): Need;
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

/** An operation that has an effect each time. Only a `Change` of a context makes it: once for its key, audited and invalidating. */
export interface Change<A extends Audited<A>, T> extends Operation<A, T> {
  readonly is: 'change';
  /** Whether a body of a 2xx answer must be JSON. */
  readonly hasBody: boolean;
  /** Whether a 410 confirms the change: what was to be deleted is gone. */
  readonly isDoneIfGone?: boolean;
  /** What it sends; absent where that is nothing. */
  body?(args: A, dialect: Dialect): Json;
  /** What the reads hold that it may alter. */
  changes(args: A): 'everything' | Tags;
}

/** How records of one kind are named. */
export interface EntityName {
  /** As records and global ids spell it. */
  readonly kind: string;
  /** Ends the sentence "This global id is not the id of …". */
  readonly called: string;
  /** The names of its ids: those of the records around it, the outermost first, then its own. */
  readonly path: readonly [...around: (keyof Ids)[], own: keyof Ids];
}

/** Records of one kind that have ids of their own. */
export interface Entity<V extends SomeIds> extends EntityName {
  readonly list: List<Ids, V>;
  /** Absent where the interface reads them in their list alone. */
  readonly one?: Read<Ids, V | undefined>;
  /** How several are found by their ids; absent where the list has no such search. */
  readonly find?: {
    /** The field of a search that holds the id. */
    field(dialect: Dialect): string;
    /** Whether an id can be searched for. */
    isId(id: string): boolean;
  };
  /** Whether a listed record lacks parts that a read of it has; such a record is read on its own. */
  isSummary?(record: V): boolean;
}

/** Returns the operation by which a single record is read. */
export const readOf = ({ one, list }: Pick<Entity<SomeIds>, 'one' | 'list'>): ReadOperation =>
  one ?? list;

/** Returns the name of a record's own id. */
export const ownIdOf = ({ path }: EntityName): keyof Ids => path[path.length - 1] as keyof Ids;

/** Returns the ids of the records around one, the outermost first. */
export const parentsOf = ({ path }: EntityName, ids: SomeIds): readonly string[] =>
  path.slice(0, -1).map((name) => String(ids[name]));

/** Returns the kind and the ids of a record, without the rest. */
export const keyOf = ({ kind, path }: EntityName, ids: SomeIds): RecordKey & Ids =>
  Object.fromEntries([
    ['kind', kind],
    ['isKey', true],
    ...path.map((name) => [name, String(ids[name])]),
  ]);

/** What is known of an operation without its arguments. */
export type AnyOperation = Pick<Operation<never, unknown>, 'name' | 'method'> &
  (
    | Pick<Read<never, unknown>, 'is' | 'holds'>
    | Pick<Change<Record<never, never>, unknown>, 'is' | 'hasBody'>
  );

/**
 * Returns the tags of records that are called so and stand in others. All lists within one outermost record have one tag, whatever
 * they are searched and ordered by, so that the lists of many rows count as one. What stands in a record also depends on the lists
 * that the record is in.
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
    /** What the read of one record holds. */
    ofOne: (ids: SomeIds): Tags => [record(ids), ...around(ids)],
    /** What the read of a list holds. */
    ofList: (ids: SomeIds): Tags => [lists(ids), ...around(ids)],
    /** What the change of a record alters. */
    ofChange: (ids: SomeIds): Tags => [lists(ids), record(ids)],
  };
}

type Tags = readonly [Tag, ...Tag[]];

type ReadOperation = Pick<Read<Ids, unknown>, 'name' | 'method' | 'is' | 'needs'> &
  Pick<Read<never, unknown>, 'holds'>;

export const isDefinition = (operation: AnyOperation | undefined): boolean =>
  operation?.is === 'read' && operation.holds === 'definitions';
