import type { Form } from '../model.ts';
import type { Platform } from '../platform.ts';
import { changeValues, requiredValues } from '../values/check-values.ts';
import type { Values } from '../values/merge-values.ts';
import { acceptValues } from './accept-values.ts';
import { readObject, readValues } from './body.ts';
import { openForm } from './form-operations.ts';
import { instanceId, instanceJson, noInstance } from './instance.ts';
import { instancePath } from './links.ts';
import type { Answer, Call, Operation } from './operation.ts';

/** What the named values are laid over, and whether the result must be complete. */
interface Start {
  readonly current: Values;
  readonly isWhole: boolean;
}

/** `createFormIntance`, `updateFormIntance`, `updateValuesOfFormIntance` and `deleteFormIntance` (sic). */
export function instanceWrites(platform: Platform): readonly Operation[] {
  const { instances } = platform;

  const valuesOf = ({ text }: Call, form: Form, start: Start): Values => {
    const named = readValues(readObject(text), { isRequired: true });
    return acceptValues(changeValues(form, { ...start, named, hasInstance: instances.has }));
  };

  const update = (call: Call, startOf: (form: Form, current: Values) => Start): Answer => {
    const form = openForm(platform, call, 'update');
    const isFound = instances.change(form.idForm, instanceId(call), (current) =>
      valuesOf(call, form, startOf(form, current)),
    );
    if (!isFound) throw noInstance(call);
    return { status: 202 };
  };

  return [
    {
      name: 'createFormIntance',
      method: 'POST',
      path: '/forms/:idForm/instances',
      answer(call) {
        const form = openForm(platform, call, 'create');
        const created = instances.create(form.idForm, valuesOf(call, form, { current: {}, isWhole: true }));
        const location = instancePath(form.idForm, created.idInstance);
        return { status: 201, headers: { location }, body: () => instanceJson(call.user, form, created) };
      },
    },
    {
      // Called both a "full update" and an update of "all or some field values": so a field that is not named is
      // emptied where it may be empty, and kept where the form requires it.
      name: 'updateFormIntance',
      method: 'PUT',
      path: '/forms/:idForm/instances/:idInstance',
      answer: (call) => update(call, (form, current) => ({ current: requiredValues(form, current), isWhole: true })),
    },
    {
      name: 'updateValuesOfFormIntance',
      method: 'PATCH',
      path: '/forms/:idForm/instances/:idInstance',
      answer: (call) => update(call, (_form, current) => ({ current, isWhole: false })),
    },
    {
      // An instance goes even when others refer to it: the interface names no status that could say no, and a
      // reference that leads nowhere reads as it was.
      name: 'deleteFormIntance',
      method: 'DELETE',
      path: '/forms/:idForm/instances/:idInstance',
      answer(call) {
        const form = openForm(platform, call, 'delete');
        if (!instances.remove(form.idForm, instanceId(call))) throw noInstance(call);
        return { status: 204 };
      },
    },
  ];
}
