import DataLoader from 'dataloader';

import type { Meter } from '../store/meter.ts';
import type { Scope } from '../store/scope.ts';
import { isId } from '../upstream/path.ts';
import type { FormRecord, InstanceKey, InstanceRecord, RuleKey, RuleRecord } from '../upstream/records.ts';
import type { Criterion, Order } from '../upstream/search.ts';
import { loadInstances } from './instances.ts';
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
  readonly formById: DataLoader<string, FormRecord | undefined>;
  readonly instanceByKey: DataLoader<InstanceKey, InstanceRecord | undefined, string>;
  readonly ruleByKey: DataLoader<RuleKey, RuleRecord, string>;
  readonly forms: DataLoader<ListKey, Window<FormRecord>, string>;
  readonly instances: DataLoader<ListKey & { readonly formId: string }, Window<InstanceRecord>, string>;
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

  const formById = new DataLoader<string, FormRecord | undefined>((ids) =>
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
  );
  const instanceByKey = new DataLoader<InstanceKey, InstanceRecord | undefined, string>(
    (keys) => loadInstances(keys, reads, dialect),
    { cacheKeyFn: ({ formId, instanceId }) => JSON.stringify([formId, instanceId]) },
  );
  const ruleByKey = new DataLoader<RuleKey, RuleRecord, string>((keys) => settleEach(keys, (key) => reads.rule(key)), {
    cacheKeyFn: ({ component, version }) => JSON.stringify([component, version]),
  });

  const forms = new DataLoader<ListKey, Window<FormRecord>, string>(
    (keys) =>
      settleEach(keys, async ({ where, orderBy, ...stretch }) => {
        const readPage = (page: { pageNumber: number; perPage: number }) => reads.forms({ where, orderBy, ...page });
        const window = await readWindow(stretch, { operation: 'getForms', maxPageSize, readPage });
        for (const form of window.rows.filter(hasFields)) formById.prime(form.formId, form);
        return window;
      }),
    { cacheKeyFn: (key) => JSON.stringify(key) },
  );
  const instances = new DataLoader<ListKey & { readonly formId: string }, Window<InstanceRecord>, string>(
    (keys) =>
      settleEach(keys, async ({ formId, where, orderBy, ...stretch }) => {
        const readPage = (page: { pageNumber: number; perPage: number }) =>
          reads.instances(formId, { where, orderBy, ...page });
        const window = await readWindow(stretch, { operation: 'getFormIntances', maxPageSize, readPage });
        for (const instance of window.rows) instanceByKey.prime(instance, instance);
        return window;
      }),
    { cacheKeyFn: (key) => JSON.stringify(key) },
  );

  const all = [formById, instanceByKey, ruleByKey, forms, instances];
  return {
    formById,
    instanceByKey,
    ruleByKey,
    forms,
    instances,
    clear() {
      for (const loader of all) loader.clearAll();
    },
  };
}

// A list of summaries leaves the fields out; such a record must not answer for the form itself.
const hasFields = ({ fields }: FormRecord): boolean => fields !== undefined;
