import { type AnyOperation, type Entity, keyOf } from './operation.ts';
import type { RecordKey } from './records.ts';
import * as cases from './resources/cases.ts';
import * as forms from './resources/forms.ts';
import * as instances from './resources/instances.ts';
import * as rules from './resources/rules.ts';

const RESOURCES = { ...cases, ...forms, ...instances, ...rules };
type Resources = typeof RESOURCES;
export type OperationName = keyof {
  [Name in keyof Resources as Resources[Name] extends AnyOperation ? Name : never]: true;
};

const isOperation = ([, exported]: readonly [string, object]): boolean => 'method' in exported;

/**
 * The interface's operations except `getToken`, which differs by variant. Source: the interface's
 * "Operations".
 */
export const OPERATIONS = Object.fromEntries(
  Object.entries(RESOURCES).filter(isOperation),
) as unknown as Readonly<Pick<Resources, OperationName>>;

/** Finds an operation by name. `undefined` for `getToken` and unknown names. */
export const findOperation = (name: string): AnyOperation | undefined =>
  Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name as OperationName] : undefined;

/** Returns the operation itself. @throws {Error} if it is not exported under its name. */
export function listed<O extends Pick<AnyOperation, 'name'>>(operation: O): O {
  const found: object | undefined = findOperation(operation.name);
  if (found === operation) return operation;
  throw new Error(
    `${operation.name} is not exported by that name in upstream/resources, or its file is not in operations.ts.`,
  );
}

type RecordOf<E> = E extends Entity<infer V> ? V : never;
/** A record with ids. */
export type EntityRecord = RecordOf<Resources[keyof Resources]>;

const isEntity = (exported: object): exported is Entity<EntityRecord> => 'kind' in exported;

/** The kinds of records with ids, outer ones first. */
export const ENTITIES: readonly Entity<EntityRecord>[] = Object.values<object>(RESOURCES)
  .filter(isEntity)
  .toSorted((one, other) => one.path.length - other.path.length);

/** Finds the entity of a kind. `undefined` for an unknown kind. */
export const findEntity = (kind: unknown): Entity<EntityRecord> | undefined =>
  ENTITIES.find((entity) => entity.kind === kind);

/** Reduces a record with ids to its kind and ids. Returns any other value unchanged. */
export function toKey(value: unknown): unknown {
  const entity = findEntity((value as Partial<RecordKey> | null | undefined)?.kind);
  return entity ? keyOf(entity, value as RecordKey) : value;
}
