import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

import { changeInstance } from '../changes.ts';
import { formatJson, type JsonObject, parseJson } from '../json.ts';
import type { ListQuery } from '../list-query.ts';
import type { Form, Seed } from '../model.ts';
import type { Values } from '../values.ts';
import { inTransaction } from './database.ts';

export interface StoredInstance {
  readonly idInstance: number;
  readonly values: Values;
  readonly changedAtMs: number;
}

export type Instances = ReturnType<typeof createInstances>;

const ROW = 'id_instance, values_json, changed_at_ms';
const INSERT = 'INSERT INTO instance (id_form, id_instance, values_json, changed_at_ms) VALUES (?, ?, ?, ?)';

/** The instances of all forms. Every write, a deletion included, updates the form's time of change. */
export function createInstances(database: DatabaseSync, now: () => number) {
  const select = database.prepare(`SELECT ${ROW} FROM instance WHERE id_form = ? AND id_instance = ?`);
  const selectChangedAt = database.prepare('SELECT instances_changed_at_ms AS at FROM form WHERE id_form = ?');
  const takeId = database.prepare(
    'UPDATE form SET next_id = next_id + 1, instances_changed_at_ms = ? WHERE id_form = ? RETURNING next_id - 1 AS id',
  );
  const updateChangedAt = database.prepare('UPDATE form SET instances_changed_at_ms = ? WHERE id_form = ?');
  const insert = database.prepare(INSERT);
  const update = database.prepare(
    'UPDATE instance SET values_json = ?, changed_at_ms = ? WHERE id_form = ? AND id_instance = ?',
  );
  const remove = database.prepare('DELETE FROM instance WHERE id_form = ? AND id_instance = ?');

  const read = (idForm: string, idInstance: number): StoredInstance | undefined => {
    const row = select.get(idForm, idInstance);
    return row && toInstance(row);
  };

  return {
    read,
    has: (idForm: string, idInstance: number) => select.get(idForm, idInstance) !== undefined,
    /** When any instance of the form was last created, changed or deleted. */
    changedAtMs: (idForm: string) => Number(selectChangedAt.get(idForm)?.['at']),

    list(idForm: string, { where, order, page }: ListQuery) {
      const from = `FROM instance WHERE id_form = ?${where.sql}`;
      const count = database.prepare(`SELECT count(*) AS total ${from}`).get(idForm, ...where.bound);
      const rows = database
        .prepare(`SELECT ${ROW} ${from} ORDER BY ${order.sql}id_instance LIMIT ? OFFSET ?`)
        .all(idForm, ...where.bound, ...order.bound, page.limit, page.offset);
      return { total: Number(count?.['total']), instances: rows.map(toInstance) };
    },

    create: (idForm: string, values: Values): StoredInstance =>
      inTransaction(database, () => {
        const changedAtMs = now();
        const idInstance = Number(takeId.get(changedAtMs, idForm)?.['id']);
        insert.run(idForm, idInstance, formatJson(values), changedAtMs);
        return { idInstance, values, changedAtMs };
      }),

    /** Replaces the values by those that `change` returns; if it throws, they stay as they were. */
    change: (idForm: string, idInstance: number, change: (current: Values) => Values): StoredInstance | undefined =>
      inTransaction(database, () => {
        const current = read(idForm, idInstance);
        if (current === undefined) return undefined;
        const changed = { idInstance, values: change(current.values), changedAtMs: now() };
        update.run(formatJson(changed.values), changed.changedAtMs, idForm, idInstance);
        updateChangedAt.run(changed.changedAtMs, idForm);
        return changed;
      }),

    /** `false` when the instance does not exist. Ids are never reused. */
    remove: (idForm: string, idInstance: number): boolean =>
      inTransaction(database, () => {
        const isRemoved = remove.run(idForm, idInstance).changes > 0;
        if (isRemoved) updateChangedAt.run(now(), idForm);
        return isRemoved;
      }),
  };
}

function toInstance(row: Record<string, SQLOutputValue>): StoredInstance {
  return {
    idInstance: Number(row['id_instance']),
    // Written by `formatJson` of checked values, in this file alone.
    values: parseJson(String(row['values_json'])) as Values,
    changedAtMs: Number(row['changed_at_ms']),
  };
}

/**
 * Adds every form that is new to the file, with its seed rows. A form is seeded once: a deleted instance does not return
 * at the next start. The rows were validated when they were loaded.
 */
export function seedForms(
  database: DatabaseSync,
  { forms, seeds, now }: { forms: Iterable<Form>; seeds: readonly Seed[]; now: () => number },
): void {
  const add = database.prepare(
    'INSERT INTO form (id_form, next_id, instances_changed_at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const insert = database.prepare(INSERT);

  inTransaction(database, () => {
    const atMs = now();
    for (const form of forms) {
      const rows = seeds.filter(({ idForm }) => idForm === form.idForm).flatMap(({ instances }) => instances);
      const nextId = Math.max(0, ...rows.map(({ idInstance }) => idInstance)) + 1;
      if (add.run(form.idForm, nextId, atMs).changes === 0) continue;
      for (const { idInstance, ...named } of rows) {
        const change = { current: {}, named: named as JsonObject, hasInstance: () => true, isWhole: true };
        insert.run(form.idForm, idInstance, formatJson(changeInstance(form, change).values), atMs);
      }
    }
  });
}
