import type { Json } from '../json.ts';
import type { ListParameters, Page } from '../list-query.ts';
import type { Form, FormAction, User } from '../model.ts';
import type { StoredInstance } from '../storage/instances.ts';
import { isAllowed } from './access.ts';

export const FORMS_PATH = '/v1.0/forms';
export const formPath = (idForm: string) => `${FORMS_PATH}/${encodeURIComponent(idForm)}`;
export const instancesPath = (idForm: string) => `${formPath(idForm)}/instances`;
export const instancePath = (idForm: string, idInstance: number) => `${instancesPath(idForm)}/${idInstance}`;

/** The methods of an instance, by the permission that each one needs. */
const INSTANCE_METHODS = [
  ['GET', 'read'],
  ['PUT', 'update'],
  ['PATCH', 'update'],
  ['DELETE', 'delete'],
] as const;
const INSTANCES_METHODS = [
  ['GET', 'read'],
  ['POST', 'create'],
] as const;

type Methods = readonly (readonly [method: string, action: FormAction])[];

/** The methods that a user may use. */
const allowed = (user: User, id: string, methods: Methods): readonly string[] =>
  methods.filter(([, action]) => isAllowed(user, 'forms', { id, action })).map(([method]) => method);

export function formLinks(user: User, { idForm }: Form): readonly Json[] {
  return [
    { rel: 'self', href: formPath(idForm), methods: ['GET'] },
    { rel: 'instances', href: instancesPath(idForm), methods: allowed(user, idForm, INSTANCES_METHODS) },
  ];
}

/** Links to itself, its form, and every instance that it refers to, by field name. */
export function instanceLinks(user: User, form: Form, { idInstance, values }: StoredInstance): readonly Json[] {
  const linkTo = (rel: string, idForm: string, id: number): Json => ({
    rel,
    href: instancePath(idForm, id),
    methods: allowed(user, idForm, INSTANCE_METHODS),
  });
  const references = form.fields.flatMap(({ name, reference }) => {
    const id = values[name];
    return reference === undefined || typeof id !== 'number' ? [] : [linkTo(name, reference, id)];
  });
  const toForm = { rel: 'form', href: formPath(form.idForm), methods: allowed(user, form.idForm, [['GET', 'read']]) };
  return [linkTo('self', form.idForm, idInstance), toForm, ...references];
}

/** Links to the pages around this one, each with the same search and sort. */
export function pageLinks(
  path: string,
  parameters: ListParameters,
  { page, total }: { page: Page; total: number },
): Json[] {
  const last = Math.max(1, Math.ceil(total / page.limit));
  const pages: readonly (readonly [rel: string, number: number])[] = [
    ['self', page.number],
    ['first', 1],
    ['prev', Math.min(page.number - 1, last)],
    ['next', page.number + 1],
    ['last', last],
  ];
  const exists = ([rel, number]: readonly [string, number]) => rel === 'self' || (number >= 1 && number <= last);
  return pages.filter(exists).map(([rel, number]) => {
    const search = new URLSearchParams();
    for (const name of ['search', 'sort']) {
      const value = parameters[name];
      if (typeof value === 'string' && value !== '') search.set(name, value);
    }
    search.set('page-number', String(number));
    search.set('per-page', String(page.limit));
    return { rel, href: `${path}?${search}`, methods: ['GET'] };
  });
}
