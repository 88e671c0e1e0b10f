import { allowedMethods, isAllowed, requirePermission } from '../http/access.ts';
import { notFound } from '../http/errors.ts';
import { listResult } from '../http/list.ts';
import type { Call, Operations, Platform } from '../http/operation.ts';
import { formatJson, type Json } from '../json.ts';
import { FORM_COLUMNS, type ListQuery } from '../list-query.ts';
import type { Form, FormAction, User } from '../model.ts';

const PATH = '/v1.0/forms';
export const formPath = (idForm: string) => `${PATH}/${encodeURIComponent(idForm)}`;
export const instancesPath = (idForm: string) => `${formPath(idForm)}/instances`;

/**
 * Returns the operations on forms, which come from the definitions. A list shows only forms that
 * the caller may read.
 */
export function formOperations(platform: Platform) {
  const { definitions, changes } = platform;

  return {
    getForms: {
      method: 'GET',
      url: PATH,
      run(call) {
        const { user } = call;
        const readable = readableForms(platform, user);
        return listResult(call, {
          path: PATH,
          columns: FORM_COLUMNS,
          changedAtMs: Math.max(changes.formsAtMs, changes.userAtMs(user)),
          fetch(query) {
            const { total, idForms } = pickForms(platform, readable, query);
            const picked = idForms.flatMap((id) => definitions.forms.get(id) ?? []);
            return { total, items: picked.map((form) => toJson(user, form)) };
          },
        });
      },
    },
    getForm: {
      method: 'GET',
      url: `${PATH}/:idForm`,
      run(call) {
        const { user } = call;
        const form = openForm(platform, call, 'read');
        const changedAtMs = Math.max(changes.formAtMs(form), changes.userAtMs(user));
        return { status: 200, changedAtMs, body: () => toJson(user, form) };
      },
    },
  } satisfies Operations;
}

/**
 * Returns the form of a path.
 *
 * @throws {ApiError} 404 when it does not exist, 403 without permission.
 */
export function openForm(
  { definitions }: Platform,
  { user, params }: Call,
  action: FormAction,
): Form {
  const { idForm = '' } = params;
  const form = definitions.forms.get(idForm);
  if (form === undefined) throw notFound('FORM_NOT_FOUND', `There is no form "${idForm}".`);
  requirePermission(user, 'forms', { id: idForm, action });
  return form;
}

/**
 * Returns the forms that the user may read.
 *
 * @throws {ApiError} 403 when there are forms and the user may read no form.
 */
function readableForms({ definitions: { forms } }: Platform, user: User): readonly Form[] {
  const readable = [...forms.values()].filter(({ idForm: id }) =>
    isAllowed(user, 'forms', { id, action: 'read' }),
  );
  if (readable.length === 0 && forms.size > 0)
    requirePermission(user, 'forms', { id: '*', action: 'read' });
  return readable;
}

/**
 * Searches, sorts and pages forms like instances. SQLite reads the forms from one bound JSON value.
 */
function pickForms(
  { database }: Platform,
  forms: readonly Form[],
  { where, order, page }: ListQuery,
) {
  const rows = formatJson(
    forms.map(({ idForm, name, description, version }) => ({ idForm, name, description, version })),
  );
  const from = `FROM json_each(?) WHERE TRUE${where.sql}`;
  const count = database.prepare(`SELECT count(*) AS total ${from}`).get(rows, ...where.bound);
  const picked = database
    .prepare(`SELECT value ->> '$.idForm' AS id ${from} ORDER BY ${order.sql}id LIMIT ? OFFSET ?`)
    .all(rows, ...where.bound, ...order.bound, page.limit, page.offset);
  return { total: Number(count?.['total']), idForms: picked.map(({ id }) => String(id)) };
}

function toJson(user: User, form: Form): Json {
  const { idForm } = form;
  const toInstances = allowedMethods(user, idForm, { GET: 'read', POST: 'create' });
  const links = [
    { rel: 'self', href: formPath(idForm), methods: ['GET'] },
    { rel: 'instances', href: instancesPath(idForm), methods: toInstances },
  ];
  return { ...form, links };
}
