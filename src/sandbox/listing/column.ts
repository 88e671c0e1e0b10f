import type { SQLInputValue } from 'node:sqlite';

import type { Form } from '../model.ts';
import type { ValueShape } from '../values/check-value.ts';
import type { Value } from '../values/value-type.ts';

/** A piece of SQL and the values of its placeholders, in order. */
export interface Sql {
  readonly sql: string;
  readonly bound: readonly SQLInputValue[];
}

/** Something that a list can be searched and sorted by: the SQL that reads it, and what its values look like. */
export interface Column extends Sql {
  readonly shape: ValueShape;
}

export type Columns = ReadonlyMap<string, Column>;

/** What a form's instances can be searched and sorted by. Source: ours; the interface shows no names. */
export function instanceColumns({ fields }: Form): Columns {
  return new Map<string, Column>([
    ['idInstance', { sql: 'id_instance', bound: [], shape: { type: 'integer' } }],
    // The JSON path is bound as well: a field's name never becomes SQL.
    ...fields.map((field): [string, Column] => [
      field.name,
      { sql: 'json_extract(values_json, ?)', bound: [`$."${field.name}"`], shape: field },
    ]),
  ]);
}

/** What forms can be searched and sorted by, over the rows that `storage/forms.ts` makes of them. */
export const FORM_COLUMNS: Columns = new Map(
  (['idForm', 'name', 'description', 'version'] as const).map((name) => [
    name,
    { sql: 'json_extract(value, ?)', bound: [`$."${name}"`], shape: { type: 'text' } },
  ]),
);

/** A value as SQLite compares it. */
export const toSqlite = (value: Value): SQLInputValue => (typeof value === 'boolean' ? Number(value) : value);
