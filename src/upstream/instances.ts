import type { Dialect } from './dialect.ts';
import { undefinedIfNotFound } from './errors.ts';
import type { Json, JsonObject } from './json.ts';
import { OPERATIONS, PATHS } from './operations.ts';
import { checkInt64 } from './path.ts';
import { readContent, readCreated, readListed } from './reading/instance.ts';
import { readList } from './reading/list.ts';
import type { InstanceKey, InstanceRecord, PageRecord } from './records.ts';
import { formatListQuery, type ListQuery } from './search.ts';
import type { Transport } from './transport.ts';
import { writeValues } from './writing.ts';

/** The instance operations, one method each. A change resolves when it is accepted, not when it is visible. */
export interface Instances {
  /** `getFormIntance` (sic). `undefined` when there is no such instance. */
  read(key: InstanceKey, signal?: AbortSignal): Promise<InstanceRecord | undefined>;
  /** `getFormIntances` (sic), one page. */
  list(formId: string, query: ListQuery, signal?: AbortSignal): Promise<PageRecord<InstanceRecord>>;
  /** `createFormIntance` (sic). */
  create(formId: string, values: JsonObject): Promise<InstanceRecord>;
  /** `updateFormIntance` (sic), a PUT. */
  replace(key: InstanceKey, values: JsonObject): Promise<void>;
  /** `updateValuesOfFormIntance` (sic), a PATCH. */
  update(key: InstanceKey, values: JsonObject): Promise<void>;
  /** `deleteFormIntance` (sic). */
  delete(key: InstanceKey): Promise<void>;
}

export function createInstances(transport: Transport, dialect: Dialect): Instances {
  const pathTo = ({ formId, instanceId }: InstanceKey) => PATHS.instance(formId, checkInt64('instanceId', instanceId));
  const body = (values: JsonObject): Json => writeValues(values, dialect.instance.written, 'values', dialect);

  return {
    async read(key, signal) {
      return transport
        .call({ operation: OPERATIONS.getFormIntance, path: pathTo(key), signal }, (answer) => ({
          formId: key.formId,
          instanceId: key.instanceId,
          content: readContent(answer.body, dialect, answer.headers.link),
        }))
        .catch(undefinedIfNotFound);
    },
    async list(formId, query, signal) {
      const path = PATHS.instances(formId) + formatListQuery(query, dialect);
      return transport.call({ operation: OPERATIONS.getFormIntances, path, signal }, (answer) =>
        readList(answer, dialect, (item) => readListed(formId, item, dialect)),
      );
    },
    async create(formId, values) {
      const call = { operation: OPERATIONS.createFormIntance, path: PATHS.instances(formId), body: body(values) };
      return transport.call(call, (answer) => readCreated(formId, answer, dialect));
    },
    async replace(key, values) {
      await transport.call({ operation: OPERATIONS.updateFormIntance, path: pathTo(key), body: body(values) }, ignore);
    },
    async update(key, values) {
      const operation = OPERATIONS.updateValuesOfFormIntance;
      await transport.call({ operation, path: pathTo(key), body: body(values) }, ignore);
    },
    async delete(key) {
      await transport.call({ operation: OPERATIONS.deleteFormIntance, path: pathTo(key) }, ignore);
    },
  };
}

// The interface shows no body on 202 and 204; one that comes all the same says nothing that we promised.
const ignore = (): void => undefined;
