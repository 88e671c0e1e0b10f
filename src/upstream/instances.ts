import type { Dialect } from './dialect.ts';
import type { Json, JsonObject } from './json.ts';
import { OPERATIONS, PATHS } from './operations.ts';
import { checkInt64 } from './path.ts';
import { readContent, readCreated, readListed } from './reading/instance.ts';
import { readList } from './reading/list.ts';
import { absentIfNotFound } from './reading/result.ts';
import type { InstanceKey, InstanceRecord, PageRecord, ReadOptions, ReadResult } from './records.ts';
import { formatListQuery, type ListQuery } from './search.ts';
import type { Transport } from './transport.ts';
import { writeValues } from './writing.ts';

/** The instance operations, one method each. A change resolves when it is accepted, not when it is visible. */
export interface Instances {
  /** `getFormIntance` (sic). Its record is `undefined` when there is no such instance. */
  read(key: InstanceKey, options?: ReadOptions): Promise<ReadResult<InstanceRecord | undefined>>;
  /** `getFormIntances` (sic), one page. */
  list(formId: string, query: ListQuery, options?: ReadOptions): Promise<ReadResult<PageRecord<InstanceRecord>>>;
  /** `createFormIntance` (sic). */
  create(formId: string, values: JsonObject, signal?: AbortSignal): Promise<InstanceRecord>;
  /** `updateFormIntance` (sic), a PUT. */
  replace(key: InstanceKey, values: JsonObject, signal?: AbortSignal): Promise<void>;
  /** `updateValuesOfFormIntance` (sic), a PATCH. */
  update(key: InstanceKey, values: JsonObject, signal?: AbortSignal): Promise<void>;
  /** `deleteFormIntance` (sic). */
  delete(key: InstanceKey, signal?: AbortSignal): Promise<void>;
}

export function createInstances(transport: Transport, dialect: Dialect): Instances {
  const pathTo = ({ formId, instanceId }: InstanceKey) => PATHS.instance(formId, checkInt64('instanceId', instanceId));
  const body = (values: JsonObject): Json => writeValues(values, dialect.instance.written, 'values', dialect);

  return {
    async read(key, options) {
      return transport
        .read({ operation: OPERATIONS.getFormIntance, path: pathTo(key), ...options }, (answer) => ({
          formId: key.formId,
          instanceId: key.instanceId,
          content: readContent(answer.body, dialect, answer.headers.link),
        }))
        .catch(absentIfNotFound);
    },
    async list(formId, query, options) {
      const path = PATHS.instances(formId) + formatListQuery(query, dialect);
      return transport.read({ operation: OPERATIONS.getFormIntances, path, ...options }, (answer) =>
        readList(answer, dialect, (item) => readListed(formId, item, dialect)),
      );
    },
    async create(formId, values, signal) {
      const path = PATHS.instances(formId);
      const call = { operation: OPERATIONS.createFormIntance, path, body: body(values), signal };
      return transport.call(call, (answer) => readCreated(formId, answer, dialect));
    },
    async replace(key, values, signal) {
      const operation = OPERATIONS.updateFormIntance;
      await transport.call({ operation, path: pathTo(key), body: body(values), signal }, ignore);
    },
    async update(key, values, signal) {
      const operation = OPERATIONS.updateValuesOfFormIntance;
      await transport.call({ operation, path: pathTo(key), body: body(values), signal }, ignore);
    },
    async delete(key, signal) {
      await transport.call({ operation: OPERATIONS.deleteFormIntance, path: pathTo(key), signal }, ignore);
    },
  };
}

// The interface shows no body on 202 and 204; one that comes all the same says nothing that we promised.
const ignore = (): void => undefined;
