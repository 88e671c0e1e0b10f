import DataLoader from 'dataloader';

import type { Reads } from '../cache/resources.ts';
import type { Scope } from '../cache/scope.ts';
import { RequestStats } from '../cache/stats.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { isId, isInt64 } from '../upstream/operations.ts';
import type { FormRecord, InstanceRecord, PageRecord, RuleKey, RuleRecord } from '../upstream/records.ts';
import type { Criterion, ListQuery, Order } from '../upstream/search.ts';
import { lookUp, settleEach } from './look-up.ts';
import { type ListSlice, type OffsetRange, readRange } from './offset-range.ts';

/** A range of a searched and ordered list. */
export interface ListKey extends OffsetRange {
  readonly where: readonly Criterion[];
  readonly orderBy: readonly Order[];
}

/** Read-side access to the upstream, remembered for one GraphQL operation. What does not exist is `undefined`. */
export interface Loaders {
  readonly formById: DataLoader<string, FormRecord | undefined>;
  readonly ruleByKey: DataLoader<RuleKey, RuleRecord, string>;
  readonly forms: DataLoader<ListKey, ListSlice<FormRecord>, string>;
  /** The instances of one form. */
  instanceById(formId: string): DataLoader<string, InstanceRecord | undefined>;
  /** Lists of the instances of one form. */
  instances(formId: string): DataLoader<ListKey, ListSlice<InstanceRecord>, string>;
  /** Forgets all that was read: after a write it must be read again. */
  clear(): void;
}

/** The loaders of one form's instances. */
interface InstanceLoaders {
  readonly byId: DataLoader<string, InstanceRecord | undefined>;
  readonly lists: DataLoader<ListKey, ListSlice<InstanceRecord>, string>;
}

/**
 * Makes the loaders of one operation. Never share them: they remember what one caller may see.
 *
 * @param signal ends the waiting of this operation; others who wait for the same answer go on.
 * @param stats counts the calls that this operation causes.
 */
export function createLoaders(
  { cache, upstream: { dialect } }: Scope,
  signal: AbortSignal,
  stats = new RequestStats(),
): Loaders {
  const reads = cache.reads(signal, stats);
  const formById = createFormLoader(reads, dialect);
  const forms = createListLoader('getForms', { dialect, readPage: reads.forms, prime: primeForms });
  const ruleByKey = new DataLoader<RuleKey, RuleRecord, string>((keys) => settleEach(keys, (key) => reads.rule(key)), {
    cacheKeyFn: ({ component, version }) => JSON.stringify([component, version]),
  });
  const byForm = new Map<string, InstanceLoaders>();

  function primeForms(rows: readonly FormRecord[]) {
    for (const row of rows) if (hasFields(row)) formById.prime(row.formId, row);
  }
  const loadersOf = (formId: string): InstanceLoaders => {
    const known = byForm.get(formId);
    if (known) return known;
    const made = createInstanceLoaders(formId, reads, dialect);
    byForm.set(formId, made);
    return made;
  };

  return {
    formById,
    ruleByKey,
    forms,
    instanceById: (formId) => loadersOf(formId).byId,
    instances: (formId) => loadersOf(formId).lists,
    clear() {
      for (const loader of [formById, ruleByKey, forms]) loader.clearAll();
      byForm.clear();
    },
  };
}

const createFormLoader = (reads: Reads, dialect: Dialect) =>
  new DataLoader<string, FormRecord | undefined>((ids) =>
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

// A list of summaries leaves the fields out; such a record must not answer for the form itself.
const hasFields = ({ fields }: FormRecord): boolean => fields !== undefined;

function createInstanceLoaders(formId: string, reads: Reads, dialect: Dialect): InstanceLoaders {
  const byId = new DataLoader<string, InstanceRecord | undefined>((ids) =>
    lookUp(ids, {
      operation: 'getFormIntances',
      dialect,
      field: dialect.search.instanceId,
      isId: isInt64,
      readOne: (instanceId) => reads.instance({ formId, instanceId }),
      readList: (query) => reads.instances(formId, query),
      idOf: ({ instanceId }) => instanceId,
      isWhole: () => true,
    }),
  );
  const lists = createListLoader<InstanceRecord>('getFormIntances', {
    dialect,
    readPage: (query) => reads.instances(formId, query),
    prime(rows) {
      for (const row of rows) byId.prime(row.instanceId, row);
    },
  });
  return { byId, lists };
}

interface ListOptions<T> {
  readonly dialect: Dialect;
  readonly readPage: (query: ListQuery) => Promise<PageRecord<T>>;
  /** Takes the rows of a list for what loaders by id would read. */
  readonly prime: (rows: readonly T[]) => void;
}

/** Each range of a list costs calls of its own; the loader saves equal ones. */
function createListLoader<T>(operation: string, { dialect, readPage, prime }: ListOptions<T>) {
  const { maxPageSize } = dialect.list;
  return new DataLoader<ListKey, ListSlice<T>, string>(
    (keys) =>
      settleEach(keys, async ({ where, orderBy, ...range }) => {
        const slice = await readRange(range, {
          operation,
          maxPageSize,
          readPage: (page) => readPage({ where, orderBy, ...page }),
        });
        prime(slice.rows);
        return slice;
      }),
    { cacheKeyFn: (key) => JSON.stringify(key) },
  );
}
