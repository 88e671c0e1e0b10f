import { changeInstance, requiredValues } from '../changes.ts';
import type { Json } from '../json.ts';
import { instanceColumns } from '../list-query.ts';
import type { Form, User } from '../model.ts';
import type { Platform } from '../platform.ts';
import type { StoredInstance } from '../storage/instances.ts';
import type { Values } from '../values.ts';
import { notFound } from './errors.ts';
import { listResult, openForm } from './form-operations.ts';
import { FORMS_PATH, instanceLinks, instancePath, instancesPath } from './links.ts';
import { acceptValues, type Call, type Operation, type Result, readObject, readValues } from './operation.ts';

const LIST = `${FORMS_PATH}/:idForm/instances`;
const ONE = `${LIST}/:idInstance`;

/** Every operation on a form's instances. */
export const instanceOperations = (platform: Platform): readonly Operation[] => [
  ...instanceReads(platform),
  ...instanceWrites(platform),
];

function instanceReads(platform: Platform): readonly Operation[] {
  const { instances, changes } = platform;

  // A new field, or a permission that shows in the links, changes the content as a new value does.
  const changedAtMs = ({ user }: Call, form: Form, valuesChangedAtMs: number) =>
    Math.max(valuesChangedAtMs, changes.formAtMs(form), changes.userAtMs(user));

  return [
    {
      name: 'getFormIntances',
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
    {
      name: 'getFormIntance',
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
  ];
}

/** The values that the named ones override, and whether the result must be complete. */
interface Base {
  readonly current: Values;
  readonly isWhole: boolean;
}

function instanceWrites(platform: Platform): readonly Operation[] {
  const { instances } = platform;

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

  return [
    {
      name: 'createFormIntance',
      method: 'POST',
      url: LIST,
      run(call) {
        const form = openForm(platform, call, 'create');
        const created = instances.create(form.idForm, valuesOf(call, form, { current: {}, isWhole: true }));
        const location = instancePath(form.idForm, created.idInstance);
        return { status: 201, headers: { location }, body: () => toJson(call.user, form, created) };
      },
    },
    {
      // Called both a "full update" and an update of "all or some field values": so a field that is not named is
      // cleared where it is optional, and kept where the form requires it.
      name: 'updateFormIntance',
      method: 'PUT',
      url: ONE,
      run: (call) => update(call, (form, current) => ({ current: requiredValues(form, current), isWhole: true })),
    },
    {
      name: 'updateValuesOfFormIntance',
      method: 'PATCH',
      url: ONE,
      run: (call) => update(call, (_form, current) => ({ current, isWhole: false })),
    },
    {
      // An instance is deleted even when others refer to it: the interface has no status for a conflict, and a
      // reference without a target stays as it was.
      name: 'deleteFormIntance',
      method: 'DELETE',
      url: ONE,
      run(call) {
        const form = openForm(platform, call, 'delete');
        if (!instances.remove(form.idForm, instanceId(call))) throw noInstance(call);
        return { status: 204 };
      },
    },
  ];
}

/** The id of a path. @throws {ApiError} 404 when it is not a possible id. */
function instanceId(call: Call): number {
  const text = call.params['idInstance'] ?? '';
  const id = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(id)) return id;
  throw noInstance(call);
}

const noInstance = ({ params: { idForm, idInstance } }: Call) =>
  notFound('INSTANCE_NOT_FOUND', `The form "${idForm}" has no instance "${idInstance}".`);

/** All fields of the form, in its order; an empty one is `null`. */
function toJson(user: User, form: Form, instance: StoredInstance): Json {
  const values = Object.fromEntries(form.fields.map(({ name }) => [name, instance.values[name] ?? null]));
  const links = instanceLinks(user, form, instance);
  return { idInstance: instance.idInstance, idForm: form.idForm, values, links };
}
