import { UpstreamError } from '../upstream/errors.ts';
import type { Json, JsonObject } from '../upstream/json.ts';
import type { InstanceContent, InstanceRecord } from '../upstream/records.ts';
import type { OperationContext } from './context.ts';

/** Gives what `read` makes of the content of an instance; one that was just created may have to be loaded first. */
export function withContent<T>(
  instance: InstanceRecord,
  { loaders }: OperationContext,
  read: (content: InstanceContent) => T | Promise<T>,
): T | Promise<T> {
  // What is there already, as in every list, is read without a step between.
  if (instance.content) return read(instance.content);
  return loaders
    .instanceById(instance.formId)
    .load(instance.instanceId)
    .then((loaded) => read(dueContent(loaded?.content)));
}

function dueContent(content: InstanceContent | undefined): InstanceContent {
  if (content === undefined) throw new UpstreamError('not-found', { operation: 'getFormIntance', status: 404 });
  return content;
}

/** Gives one value by its field's name; `undefined` where there is none. */
export const valueAt = (values: JsonObject, field: string): Json | undefined =>
  Object.hasOwn(values, field) ? values[field] : undefined;
