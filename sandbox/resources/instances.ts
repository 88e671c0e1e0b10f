import type { SQLOutputValue } from 'node:sqlite';

import { allowedMethods } from '../http/access.ts';
import { notFound } from '../http/errors.ts';
import { listResult } from '../http/list.ts';
import {
  acceptValues,
  type Call,
  type Operations,
  type Platform,
  type Result,
  readObject,
  readValues,
} from '../http/operation.ts';
import { formatJson, type Json, type JsonObject, parseJson } from '../json.ts';
import { instanceColumns, type ListQuery } from '../list-query.ts';
import type { Form, User } from '../model.ts';
import { inTransaction } from '../storage/database.ts';
import { changeInstance, requiredValues, type Values } from '../values.ts';
import { formPath, instancesPath, openForm } from './forms.ts';

const LIST = '/v1.0/forms/:idForm/instances';
const ONE = `${LIST}/:idInstance`;

/** Returns the operations on a form's instances. */
export function instanceOperations(platform: Platform) {
  const { changes } = platform;
  const instances = createInstances(platform);

  // The response also changes with the form's fields and with the user's permissions, which its
  // links show.
  const changedAtMs = ({ user }: Call, form: Form, valuesChangedAtMs: number) =>
    Math.max(valuesChangedAtMs, changes.formAtMs(form), changes.userAtMs(user));

  const valuesOf = (call: Call, form: Form, base: Base): Values => {
    const named = readValues(readObject(call), { isRequired: true });
    return acceptValues(changeInstance(form, { ...base, named, hasInstance: instances.has }));
  };

  const update = (call: Call, baseOf: (form: Form, current: Values) => Base): Result => {
    const form = openForm(platform, call, 'update');
    const changed = instances.change(form.idForm, instanceId(call), (current) =>
      valuesOf(call, form, baseOf(form, current)),
    );
    if (changed === undefined) throw noInstance(call);
    return { status: 202 };
  };

  return {
    getFormIntances: {
      method: 'GET',
      url: LIST,
      run(call) {
        const form = openForm(platform, call, 'read');
        return listResult(call, {
          path: instancesPath(form.idForm),
          columns: instanceColumns(form),
          changedAtMs: changedAtMs(call, form, instances.changedAtMs(form.idForm)),
          fetch(query) {
            const { total, instances: found } = instances.list(form.idForm, query);
            return { total, items: found.map((instance) => toJson(call.user, form, instance)) };
          },
        });
      },
    },
    createFormIntance: {
      method: 'POST',
      url: LIST,
      run(call) {
        const form = openForm(platform, call, 'create');
        const created = instances.create(
          form.idForm,
          valuesOf(call, form, { current: {}, isWhole: true }),
        );
        const location = instancePath(form.idForm, created.idInstance);
        return { status: 201, headers: { location }, body: () => toJson(call.user, form, created) };
      },
    },
    getFormIntance: {
      method: 'GET',
      url: ONE,
      run(call) {
        const form = openForm(platform, call, 'read');
        const instance = instances.read(form.idForm, instanceId(call));
        if (instance === undefined) throw noInstance(call);
        return {
          status: 200,
          changedAtMs: changedAtMs(call, form, instance.changedAtMs),
          body: () => toJson(call.user, form, instance),
        };
      },
    },
    // The interface calls this both a "full update" and an update of "all or some field values". So
    // a field that the body does not name is cleared if it is optional and kept if it is required.
    updateFormIntance: {
      method: 'PUT',
      url: ONE,
      run: (call) =>
        update(call, (form, current) => ({
          current: requiredValues(form, current),
          isWhole: true,
        })),
    },
    updateValuesOfFormIntance: {
      method: 'PATCH',
      url: ONE,
      run: (call) => update(call, (_form, current) => ({ current, isWhole: false })),
    },
    // An instance is deleted even if others refer to it: the interface has no status for a
    // conflict. Such a reference keeps its value.
    deleteFormIntance: {
      method: 'DELETE',
      url: ONE,
      run(call) {
        const form = openForm(platform, call, 'delete');
        if (!instances.remove(form.idForm, instanceId(call))) throw noInstance(call);
        return { status: 204 };
      },
    },
  } satisfies Operations;
}

/** The values before a write, and whether all required fields must have a value after it. */
interface Base {
  readonly current: Values;
  readonly isWhole: boolean;
}

/**
 * Returns the id of a path.
 *
 * @throws {ApiError} 404 when no instance can have it.
 */
function instanceId(call: Call): number {
  const text = call.params['idInstance'] ?? '';
  const id = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(id)) return id;
  throw noInstance(call);
}

const noInstance = ({ params: { idForm, idInstance } }: Call) =>
  notFound('INSTANCE_NOT_FOUND', `The form "${idForm}" has no instance "${idInstance}".`);

const instancePath = (idForm: string, idInstance: number) =>
  `${instancesPath(idForm)}/${idInstance}`;

/** Returns all fields of the form, in its order. An empty field is `null`. */
function toJson(user: User, form: Form, instance: StoredInstance): Json {
  const values = Object.fromEntries(
    form.fields.map(({ name }) => [name, instance.values[name] ?? null]),
  );
  const links = instanceLinks(user, form, instance);
  return { idInstance: instance.idInstance, idForm: form.idForm, values, links };
}

/** Returns links to the instance, to its form, and to every referenced instance by field name. */
function instanceLinks(
  user: User,
  form: Form,
  { idInstance, values }: StoredInstance,
): readonly Json[] {
  const linkTo = (rel: string, idForm: string, id: number): Json => ({
    rel,
    href: instancePath(idForm, id),
    methods: allowedMethods(user, idForm, {
      GET: 'read',
      PUT: 'update',
      PATCH: 'update',
      DELETE: 'delete',
    }),
  });
  const references = form.fields.flatMap(({ name, reference }) => {
    const id = values[name];
    return reference === undefined || typeof id !== 'number' ? [] : [linkTo(name, reference, id)];
  });
  const methods = allowedMethods(user, form.idForm, { GET: 'read' });
  const toForm = { rel: 'form', href: formPath(form.idForm), methods };
  return [linkTo('self', form.idForm, idInstance), toForm, ...references];
}

interface StoredInstance {
  readonly idInstance: number;
  readonly values: Values;
  readonly changedAtMs: number;
}

const ROW = 'id_instance, values_json, changed_at_ms';
const INSERT =
  'INSERT INTO instance (id_form, id_instance, values_json, changed_at_ms) VALUES (?, ?, ?, ?)';

/**
 * Creates the storage of instances. Every write, a deletion included, updates the form's time of
 * change.
 */
function createInstances({ database, now }: Platform) {
  const select = database.prepare(
    `SELECT ${ROW} FROM instance WHERE id_form = ? AND id_instance = ?`,
  );
  const selectChangedAt = database.prepare(
    'SELECT instances_changed_at_ms AS at FROM form WHERE id_form = ?',
  );
  const takeId = database.prepare(
    `UPDATE form SET next_id = next_id + 1, instances_changed_at_ms = ?
     WHERE id_form = ? RETURNING next_id - 1 AS id`,
  );
  const updateChangedAt = database.prepare(
    'UPDATE form SET instances_changed_at_ms = ? WHERE id_form = ?',
  );
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
    /**
     * Returns when an instance of the form was last created, changed or deleted, in epoch
     * milliseconds.
     */
    changedAtMs: (idForm: string) => Number(selectChangedAt.get(idForm)?.['at']),

    list(idForm: string, { where, order, page }: ListQuery) {
      const from = `FROM instance WHERE id_form = ?${where.sql}`;
      const count = database
        .prepare(`SELECT count(*) AS total ${from}`)
        .get(idForm, ...where.bound);
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

    /**
     * Replaces the values by the result of `change`. If `change` throws, they do not change.
     * Returns `undefined` if the instance does not exist.
     */
    change: (
      idForm: string,
      idInstance: number,
      change: (current: Values) => Values,
    ): StoredInstance | undefined =>
      inTransaction(database, () => {
        const current = read(idForm, idInstance);
        if (current === undefined) return undefined;
        const changed = { idInstance, values: change(current.values), changedAtMs: now() };
        update.run(formatJson(changed.values), changed.changedAtMs, idForm, idInstance);
        updateChangedAt.run(changed.changedAtMs, idForm);
        return changed;
      }),

    /** Deletes an instance. Returns `false` if it does not exist. Ids are never reused. */
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
    // Safe: only this file writes the column, with `formatJson` of checked values.
    values: parseJson(String(row['values_json'])) as Values,
    changedAtMs: Number(row['changed_at_ms']),
  };
}

/**
 * Adds every form that is new to the file, with its seed rows. A form is seeded once, so a deleted
 * instance does not return at the next start. The rows were validated when they were loaded.
 */
export function seedForms({ database, definitions: { forms, seeds }, now }: Platform): void {
  const add = database.prepare(
    `INSERT INTO form (id_form, next_id, instances_changed_at_ms) VALUES (?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const insert = database.prepare(INSERT);

  inTransaction(database, () => {
    const atMs = now();
    for (const form of forms.values()) {
      const rows = seeds
        .filter(({ idForm }) => idForm === form.idForm)
        .flatMap(({ instances }) => instances);
      const nextId = Math.max(0, ...rows.map(({ idInstance }) => idInstance)) + 1;
      if (add.run(form.idForm, nextId, atMs).changes === 0) continue;
      for (const { idInstance, ...named } of rows) {
        const change = {
          current: {},
          named: named as JsonObject,
          hasInstance: () => true,
          isWhole: true,
        };
        insert.run(form.idForm, idInstance, formatJson(changeInstance(form, change).values), atMs);
      }
    }
  });
}
