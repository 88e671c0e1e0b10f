import type { Reads } from '../store/resource.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { isInt64 } from '../upstream/path.ts';
import type { InstanceKey, InstanceRecord } from '../upstream/records.ts';
import { lookUp } from './look-up.ts';

type Result = InstanceRecord | undefined | Error;

/** Gives the instance of each key, looked up form by form: one list call for all that are wanted of one form. */
export async function loadInstances(keys: readonly InstanceKey[], reads: Reads, dialect: Dialect): Promise<Result[]> {
  const byForm = Map.groupBy(keys, ({ formId }) => formId);
  const results = new Map<InstanceKey, Result>();
  await Promise.all(
    [...byForm].map(async ([formId, wanted]) => {
      const ids = wanted.map(({ instanceId }) => instanceId);
      const found = await lookUp(ids, {
        operation: 'getFormIntances',
        dialect,
        field: dialect.search.instanceId,
        isId: isInt64,
        readOne: (instanceId) => reads.instance({ formId, instanceId }),
        readList: (query) => reads.instances(formId, query),
        idOf: ({ instanceId }) => instanceId,
        isWhole: () => true,
      });
      for (const [index, key] of wanted.entries()) results.set(key, found[index]);
    }),
  );
  return keys.map((key) => results.get(key));
}
