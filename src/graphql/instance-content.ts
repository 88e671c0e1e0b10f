import { UpstreamError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { InstanceContent, InstanceRecord } from '../upstream/records.ts';
import type { OperationContext } from './context.ts';

/** Gives what `read` makes of the content of an instance; one that was just created may have to be loaded first. */
export function withContent<T>(
  { formId, instanceId, content }: InstanceRecord,
  context: OperationContext,
  read: (content: InstanceContent, context: OperationContext) => T | Promise<T>,
): T | Promise<T> {
  // What is there already, as in every list, is read without a promise.
  if (content) return read(content, context);
  return context.loaders
    .instanceById(formId)
    .load(instanceId)
    .then((loaded) => read(requiredContent(loaded?.content), context));
}

function requiredContent(content: InstanceContent | undefined): InstanceContent {
  if (content === undefined) throw new UpstreamError('not-found', { operation: 'getFormIntance', status: 404 });
  return content;
}

/** Gives one value by its field's name, or `undefined`. */
export const valueAt = (values: JsonObject, field: string): Json | undefined =>
  Object.hasOwn(values, field) ? values[field] : undefined;
