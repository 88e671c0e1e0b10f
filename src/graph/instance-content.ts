import { goOn, type MaybeLater } from '../loaders/later.ts';
import { UpstreamError } from '../upstream/errors.ts';
import type { Json, JsonObject } from '../upstream/json.ts';
import type { InstanceContent, InstanceRecord } from '../upstream/records.ts';
import type { OperationContext } from './context.ts';

/** Gives what the instance holds; one that was just created may have to be read first. */
export function contentOf(instance: InstanceRecord, { loaders }: OperationContext): MaybeLater<InstanceContent> {
  return instance.content ?? goOn(loaders.instanceByKey.get(instance), (read) => dueContent(read?.content));
}

function dueContent(content: InstanceContent | undefined): InstanceContent {
  if (content === undefined) throw new UpstreamError('not-found', { operation: 'getFormIntance', status: 404 });
  return content;
}

/** Gives one value by its field's name; `undefined` where there is none. */
export const valueAt = (values: JsonObject, field: string): Json | undefined =>
  Object.hasOwn(values, field) ? values[field] : undefined;
