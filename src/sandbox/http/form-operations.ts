import type { Json } from '../json.ts';
import { FORM_COLUMNS } from '../listing/column.ts';
import type { Form, FormAction, User } from '../model.ts';
import type { Platform } from '../platform.ts';
import { notFound } from './api-error.ts';
import { FORMS_PATH, formLinks } from './links.ts';
import { listAnswer } from './list-answer.ts';
import type { Call, Operation } from './operation.ts';
import { isAllowed, requirePermission } from './permissions.ts';

/** The form of a path, if there is one and the caller may. @throws {ApiError} 404, 403. */
export function openForm({ definitions }: Platform, { user, params }: Call, action: FormAction): Form {
  const { idForm = '' } = params;
  const form = definitions.forms.get(idForm);
  if (form === undefined) throw notFound('FORM_NOT_FOUND', `There is no form "${idForm}".`);
  requirePermission(user, 'forms', { id: idForm, action });
  return form;
}

/** `getForms` and `getForm`. A list shows the forms that its reader may read. */
export function formOperations(platform: Platform): readonly Operation[] {
  const { definitions, changedAtMs, pickForms } = platform;

  return [
    {
      name: 'getForms',
      method: 'GET',
      path: '/forms',
      answer({ user, query }) {
        const readable = readableForms(platform, user);
        return listAnswer(query, {
          path: FORMS_PATH,
          columns: FORM_COLUMNS,
          changedAtMs: Math.max(changedAtMs.forms, changedAtMs.user(user)),
          fetch(listing) {
            const { total, idForms } = pickForms(readable, listing);
            const picked = idForms.flatMap((id) => definitions.forms.get(id) ?? []);
            return { total, items: picked.map((form) => toJson(user, form)) };
          },
        });
      },
    },
    {
      name: 'getForm',
      method: 'GET',
      path: '/forms/:idForm',
      answer(call) {
        const { user } = call;
        const form = openForm(platform, call, 'read');
        const changed = Math.max(changedAtMs.form(form), changedAtMs.user(user));
        return { status: 200, changedAtMs: changed, body: () => toJson(user, form) };
      },
    },
  ];
}

/** @throws {ApiError} 403 when there are forms, but none that the user may read. */
function readableForms({ definitions: { forms } }: Platform, user: User): readonly Form[] {
  const readable = [...forms.values()].filter(({ idForm: id }) => isAllowed(user, 'forms', { id, action: 'read' }));
  if (readable.length === 0 && forms.size > 0) requirePermission(user, 'forms', { id: '*', action: 'read' });
  return readable;
}

const toJson = (user: User, form: Form): Json => ({ ...form, links: formLinks(user, form) });
