import type { DatabaseSync } from 'node:sqlite';

import { formatJson, type JsonObject } from '../json.ts';
import type { Form, Seed } from '../model.ts';
import { changeValues } from '../values/check-values.ts';
import { inTransaction } from './database.ts';

interface Seeding {
  readonly forms: Iterable<Form>;
  readonly seeds: readonly Seed[];
  readonly now: () => number;
}

/**
 * Gives every form that the file does not know yet its place and its seed rows. A form is seeded once in its life:
 * a deleted instance does not come back with the next start. The rows were checked when they were loaded.
 */
export function seedForms(database: DatabaseSync, { forms, seeds, now }: Seeding): void {
  const add = database.prepare(
    'INSERT INTO form (id_form, next_id, instances_changed_at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const insert = database.prepare(
    'INSERT INTO instance (id_form, id_instance, values_json, changed_at_ms) VALUES (?, ?, ?, ?)',
  );

  inTransaction(database, () => {
    const atMs = now();
    for (const form of forms) {
      const rows = seeds.filter(({ idForm }) => idForm === form.idForm).flatMap(({ instances }) => instances);
      const nextId = Math.max(0, ...rows.map(({ idInstance }) => idInstance)) + 1;
      if (add.run(form.idForm, nextId, atMs).changes === 0) continue;
      for (const { idInstance, ...named } of rows) {
        const change = { current: {}, named: named as JsonObject, hasInstance: () => true, isWhole: true };
        insert.run(form.idForm, idInstance, formatJson(changeValues(form, change).values), atMs);
      }
    }
  });
}
