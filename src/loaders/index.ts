import type { Meter } from '../store/meter.ts';
import type { Scope } from '../store/scope.ts';
import { isId } from '../upstream/path.ts';
import type { FormRecord, InstanceKey, InstanceRecord, RuleKey, RuleRecord } from '../upstream/records.ts';
import type { Criterion, Order } from '../upstream/search.ts';
import { loadInstances } from './instances.ts';
import { createLoader, type Loader } from './loader.ts';
import { lookUp } from './look-up.ts';
import { settleEach } from './settle-each.ts';
import { readWindow, type Stretch, type Window } from './window.ts';

/** A stretch of a searched and ordered list. */
export interface ListKey extends Stretch {
  readonly where: readonly Criterion[];
  readonly orderBy: readonly Order[];
}

/** Read-side access to the upstream, remembered for one GraphQL operation. */
export interface Loaders {
  readonly formById: Loader<string, FormRecord | undefined>;
  readonly instanceByKey: Loader<InstanceKey, InstanceRecord | undefined>;
  readonly ruleByKey: Loader<RuleKey, RuleRecord>;
  readonly forms: Loader<ListKey, Window<FormRecord>>;
  readonly instances: Loader<ListKey & { readonly formId: string }, Window<InstanceRecord>>;
  /** Forgets all that was read: what comes after a write must be asked anew. */
  clear(): void;
}

/**
 * Makes the loaders of one operation. Never share them: they remember what one caller may see.
 *
 * @param signal ends the waiting of this operation; others who wait for the same answer go on.
 * @param meter counts the calls that this operation causes.
 */
export function createLoaders({ store, upstream: { dialect } }: Scope, signal: AbortSignal, meter?: Meter): Loaders {
  const reads = store.reads(signal, meter);
  const { maxPageSize } = dialect.list;

  const formById = createLoader<string, FormRecord | undefined>({
    nameOf: (formId) => formId,
    keyOf: ({ formId }) => formId,
    loadBatch: (ids) =>
      lookUp(ids, {
        operation: 'getForms',
        dialect,
        field: dialect.search.formId,
        isId,
        readOne: reads.form,
        readList: reads.forms,
        idOf: ({ formId }) => formId,
        isWhole: hasFields,
      }),
  });
  const instanceByKey = createLoader<InstanceKey, InstanceRecord | undefined>({
    nameOf: ({ formId, instanceId }) => JSON.stringify([formId, instanceId]),
    keyOf: (instance) => instance,
    loadBatch: (keys) => loadInstances(keys, reads, dialect),
  });
  const ruleByKey = createLoader<RuleKey, RuleRecord>({
    nameOf: ({ component, version }) => JSON.stringify([component, version]),
    loadBatch: (keys) => settleEach(keys, (key) => reads.rule(key)),
  });

  const forms = createLoader<ListKey, Window<FormRecord>>({
    nameOf: (key) => JSON.stringify(key),
    loadBatch: (keys) =>
      settleEach(keys, async ({ where, orderBy, ...stretch }) => {
        const readPage = (page: { pageNumber: number; perPage: number }) => reads.forms({ where, orderBy, ...page });
        const window = await readWindow(stretch, { operation: 'getForms', maxPageSize, readPage });
        formById.prime(window.rows.filter(hasFields));
        return window;
      }),
  });
  const instances = createLoader<ListKey & { readonly formId: string }, Window<InstanceRecord>>({
    nameOf: (key) => JSON.stringify(key),
    loadBatch: (keys) =>
      settleEach(keys, async ({ formId, where, orderBy, ...stretch }) => {
        const readPage = (page: { pageNumber: number; perPage: number }) =>
          reads.instances(formId, { where, orderBy, ...page });
        const window = await readWindow(stretch, { operation: 'getFormIntances', maxPageSize, readPage });
        instanceByKey.prime(window.rows);
        return window;
      }),
  });

  const all = [formById, instanceByKey, ruleByKey, forms, instances];
  return {
    formById,
    instanceByKey,
    ruleByKey,
    forms,
    instances,
    clear() {
      for (const loader of all) loader.clear();
    },
  };
}

// A list of summaries leaves the fields out; such a record must not answer for the form itself.
const hasFields = ({ fields }: FormRecord): boolean => fields !== undefined;
