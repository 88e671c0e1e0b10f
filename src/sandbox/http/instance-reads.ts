import { instanceColumns } from '../listing/column.ts';
import type { Form } from '../model.ts';
import type { Platform } from '../platform.ts';
import { openForm } from './form-operations.ts';
import { instanceId, instanceJson, noInstance } from './instance.ts';
import { instancesPath } from './links.ts';
import { listAnswer } from './list-answer.ts';
import type { Call, Operation } from './operation.ts';

/** `getFormIntances` and `getFormIntance` (sic). */
export function instanceReads(platform: Platform): readonly Operation[] {
  const { instances, changedAtMs } = platform;

  // A new field, or a permission that shows in the links, changes what is read as much as a new value does.
  const changed = ({ user }: Call, form: Form, valuesChangedAtMs: number) =>
    Math.max(valuesChangedAtMs, changedAtMs.form(form), changedAtMs.user(user));

  return [
    {
      name: 'getFormIntances',
      method: 'GET',
      path: '/forms/:idForm/instances',
      answer(call) {
        const form = openForm(platform, call, 'read');
        return listAnswer(call.query, {
          path: instancesPath(form.idForm),
          columns: instanceColumns(form),
          changedAtMs: changed(call, form, instances.changedAtMs(form.idForm)),
          fetch(listing) {
            const { total, instances: found } = instances.list(form.idForm, listing);
            return { total, items: found.map((instance) => instanceJson(call.user, form, instance)) };
          },
        });
      },
    },
    {
      name: 'getFormIntance',
      method: 'GET',
      path: '/forms/:idForm/instances/:idInstance',
      answer(call) {
        const form = openForm(platform, call, 'read');
        const instance = instances.read(form.idForm, instanceId(call));
        if (instance === undefined) throw noInstance(call);
        return {
          status: 200,
          changedAtMs: changed(call, form, instance.changedAtMs),
          body: () => instanceJson(call.user, form, instance),
        };
      },
    },
  ];
}
