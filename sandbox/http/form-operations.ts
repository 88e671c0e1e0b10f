import type { Json } from '../json.ts';
import { type Columns, FORM_COLUMNS, type ListQuery, ListQueryError, parseListQuery } from '../list-query.ts';
import type { Form, FormAction, User } from '../model.ts';
import type { Platform } from '../platform.ts';
import { isAllowed, requirePermission } from './access.ts';
import { badRequest, notFound } from './errors.ts';
import { FORMS_PATH, formLinks, pageLinks } from './links.ts';
import type { Call, Operation, Result } from './operation.ts';

/** `getForms` and `getForm`. A list shows only the forms that the caller may read. */
export function formOperations(platform: Platform): readonly Operation[] {
  const { definitions, changes, pickForms } = platform;

  return [
    {
      name: 'getForms',
      method: 'GET',
      url: FORMS_PATH,
      run(call) {
        const { user } = call;
        const readable = readableForms(platform, user);
        return listResult(call, {
          path: FORMS_PATH,
          columns: FORM_COLUMNS,
          changedAtMs: Math.max(changes.formsAtMs, changes.userAtMs(user)),
          fetch(query) {
            const { total, idForms } = pickForms(readable, query);
            const picked = idForms.flatMap((id) => definitions.forms.get(id) ?? []);
            return { total, items: picked.map((form) => toJson(user, form)) };
          },
        });
      },
    },
    {
      name: 'getForm',
      method: 'GET',
      url: `${FORMS_PATH}/:idForm`,
      run(call) {
        const { user } = call;
        const form = openForm(platform, call, 'read');
        const changedAtMs = Math.max(changes.formAtMs(form), changes.userAtMs(user));
        return { status: 200, changedAtMs, body: () => toJson(user, form) };
      },
    },
  ];
}

/** The form of a path. @throws {ApiError} 404 when it does not exist, 403 without permission. */
export function openForm({ definitions }: Platform, { user, params }: Call, action: FormAction): Form {
  const { idForm = '' } = params;
  const form = definitions.forms.get(idForm);
  if (form === undefined) throw notFound('FORM_NOT_FOUND', `There is no form "${idForm}".`);
  requirePermission(user, 'forms', { id: idForm, action });
  return form;
}

interface ListSource {
  /** The list's path, for its links. */
  readonly path: string;
  readonly columns: Columns;
  readonly changedAtMs: number;
  fetch(query: ListQuery): { readonly total: number; readonly items: readonly Json[] };
}

/** One page of a list. @throws {ApiError} 400 for an invalid search, sort or page, before any 304. */
export function listResult({ query: parameters }: Call, { path, columns, changedAtMs, fetch }: ListSource): Result {
  const query = parse(() => parseListQuery(parameters, columns));
  const { page } = query;
  const body = (): Json => {
    const { total, items } = fetch(query);
    const links = pageLinks(path, parameters, { page, total });
    return { items, total, 'page-number': page.number, 'per-page': page.limit, links };
  };
  return { status: 200, changedAtMs, body };
}

function parse(read: () => ListQuery): ListQuery {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ListQueryError)) throw error;
    throw badRequest('INVALID_QUERY', `Invalid list parameters: ${error.message}.`);
  }
}

/** @throws {ApiError} 403 when there are forms, but none that the user may read. */
function readableForms({ definitions: { forms } }: Platform, user: User): readonly Form[] {
  const readable = [...forms.values()].filter(({ idForm: id }) => isAllowed(user, 'forms', { id, action: 'read' }));
  if (readable.length === 0 && forms.size > 0) requirePermission(user, 'forms', { id: '*', action: 'read' });
  return readable;
}

const toJson = (user: User, form: Form): Json => ({ ...form, links: formLinks(user, form) });
