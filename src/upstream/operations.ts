import type { AnyOperation, Entity } from './operation.ts';
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

/** The interface's operations but `getToken`, whose shape is its variant's. Source: the interface's "Operations". */
export const OPERATIONS = Object.fromEntries(Object.entries(RESOURCES).filter(isOperation)) as unknown as Readonly<
  Pick<Resources, OperationName>
>;

/** Finds an operation by its name; `undefined` for `getToken`, and for what is none. */
export const findOperation = (name: string): AnyOperation | undefined =>
  Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name as OperationName] : undefined;

/** Gives back an operation. @throws {Error} for one that is not among them by its name. */
export function listed<O extends Pick<AnyOperation, 'name'>>(operation: O): O {
  const found: object | undefined = findOperation(operation.name);
  if (found === operation) return operation;
  throw new Error(
    `${operation.name} is not exported by that name in upstream/resources, or its file is not in operations.ts.`,
  );
}

/** The kinds of records that have ids of their own, each after those whose records hold its id as that of their parent. */
const KINDS = [instances.INSTANCES, forms.FORMS];
type RecordOf<E> = E extends Entity<infer V> ? V : never;
export type EntityRecord = RecordOf<(typeof KINDS)[number]>;
export const ENTITIES: readonly Entity<EntityRecord>[] = KINDS;

/** Gives the kind of a record. */
export const entityOf = (record: EntityRecord): Entity<EntityRecord> =>
  ENTITIES.find(({ idName }) => idName in record) ?? forms.FORMS;
