import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

import { formatJson, parseJson } from '../json.ts';
import type { Listing } from '../listing/listing.ts';
import type { Values } from '../values/merge-values.ts';
import { inTransaction } from './database.ts';

export interface StoredInstance {
  readonly idInstance: number;
  readonly values: Values;
  readonly changedAtMs: number;
}

/** The instances of all forms. Every change moves its form's changed-at, a deletion too. */
export interface Instances {
  read(idForm: string, idInstance: number): StoredInstance | undefined;
  has(idForm: string, idInstance: number): boolean;
  /** When any instance of the form was last created, changed or deleted. */
  changedAtMs(idForm: string): number;
  list(idForm: string, listing: Listing): { readonly total: number; readonly instances: readonly StoredInstance[] };
  create(idForm: string, values: Values): StoredInstance;
  /** Replaces the values by what `change` makes of them; what it throws leaves them as they were. */
  change(idForm: string, idInstance: number, change: (current: Values) => Values): StoredInstance | undefined;
  /** `false` when there is no such instance. Ids are never used again. */
  remove(idForm: string, idInstance: number): boolean;
}

const ROW = 'id_instance, values_json, changed_at_ms';

export function createInstances(database: DatabaseSync, now: () => number): Instances {
  const select = database.prepare(`SELECT ${ROW} FROM instance WHERE id_form = ? AND id_instance = ?`);
  const selectChangedAt = database.prepare('SELECT instances_changed_at_ms AS at FROM form WHERE id_form = ?');
  const takeId = database.prepare(
    'UPDATE form SET next_id = next_id + 1, instances_changed_at_ms = ? WHERE id_form = ? RETURNING next_id - 1 AS id',
  );
  const touch = database.prepare('UPDATE form SET instances_changed_at_ms = ? WHERE id_form = ?');
  const insert = database.prepare(
    'INSERT INTO instance (id_form, id_instance, values_json, changed_at_ms) VALUES (?, ?, ?, ?)',
  );
  const update = database.prepare(
    'UPDATE instance SET values_json = ?, changed_at_ms = ? WHERE id_form = ? AND id_instance = ?',
  );
  const drop = database.prepare('DELETE FROM instance WHERE id_form = ? AND id_instance = ?');

  const read: Instances['read'] = (idForm, idInstance) => {
    const row = select.get(idForm, idInstance);
    return row && toInstance(row);
  };

  return {
    read,
    has: (idForm, idInstance) => select.get(idForm, idInstance) !== undefined,
    changedAtMs: (idForm) => Number(selectChangedAt.get(idForm)?.['at']),

    list(idForm, { where, order, page }) {
      const from = `FROM instance WHERE id_form = ?${where.sql}`;
      const count = database.prepare(`SELECT count(*) AS total ${from}`).get(idForm, ...where.bound);
      const rows = database
        .prepare(`SELECT ${ROW} ${from} ORDER BY ${order.sql}id_instance LIMIT ? OFFSET ?`)
        .all(idForm, ...where.bound, ...order.bound, page.limit, page.offset);
      return { total: Number(count?.['total']), instances: rows.map(toInstance) };
    },

    create: (idForm, values) =>
      inTransaction(database, () => {
        const changedAtMs = now();
        const idInstance = Number(takeId.get(changedAtMs, idForm)?.['id']);
        insert.run(idForm, idInstance, formatJson(values), changedAtMs);
        return { idInstance, values, changedAtMs };
      }),

    change: (idForm, idInstance, change) =>
      inTransaction(database, () => {
        const current = read(idForm, idInstance);
        if (current === undefined) return undefined;
        const changed = { idInstance, values: change(current.values), changedAtMs: now() };
        update.run(formatJson(changed.values), changed.changedAtMs, idForm, idInstance);
        touch.run(changed.changedAtMs, idForm);
        return changed;
      }),

    remove: (idForm, idInstance) =>
      inTransaction(database, () => {
        const isGone = drop.run(idForm, idInstance).changes > 0;
        if (isGone) touch.run(now(), idForm);
        return isGone;
      }),
  };
}

function toInstance(row: Record<string, SQLOutputValue>): StoredInstance {
  return {
    idInstance: Number(row['id_instance']),
    // Written by `formatJson` of checked values, here and in the seeding alone.
    values: parseJson(String(row['values_json'])) as Values,
    changedAtMs: Number(row['changed_at_ms']),
  };
}
