import type { Json } from '../json.ts';
import type { Form, User } from '../model.ts';
import type { StoredInstance } from '../storage/instances.ts';
import { notFound } from './api-error.ts';
import { instanceLinks } from './links.ts';
import type { Call } from './operation.ts';

/** The id of a path. @throws {ApiError} 404 when it is no number that an instance could have. */
export function instanceId(call: Call): number {
  const text = call.params['idInstance'] ?? '';
  const id = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(id)) return id;
  throw noInstance(call);
}

export const noInstance = ({ params: { idForm, idInstance } }: Call) =>
  notFound('INSTANCE_NOT_FOUND', `The form "${idForm}" has no instance "${idInstance}".`);

/** All fields of the form, in its order; an empty one is `null`. */
export function instanceJson(user: User, form: Form, instance: StoredInstance): Json {
  const values = Object.fromEntries(form.fields.map(({ name }) => [name, instance.values[name] ?? null]));
  const links = instanceLinks(user, form, instance);
  return { idInstance: instance.idInstance, idForm: form.idForm, values, links };
}
