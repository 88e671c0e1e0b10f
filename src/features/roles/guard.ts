import { LRUCache } from 'lru-cache';

import { DENIED, isOneOf, UpstreamError } from '../../core/errors.ts';
import type { Upstream } from '../../upstream/index.ts';
import {
  type Criterion,
  groupByCriterion,
  hasOperator,
  type ListQuery,
  type OperationName,
} from '../../upstream/operations.ts';
import type {
  FieldRecord,
  FormRecord,
  InstanceRecord,
  PageRecord,
  ReadOptions,
  ReadResult,
} from '../../upstream/records.ts';
import type { Role, Subject } from './role.ts';

interface GuardOptions {
  readonly role: Role;
  /** @throws {UpstreamError} `forbidden` for what the role does not allow, where that is refused. */
  check(operation: OperationName, subject: Subject): void;
  /** Notes that the role does not allow a search. @throws {UpstreamError} `forbidden` where that is refused. */
  refuseSearch(operation: OperationName, formId?: string): void;
  /** Takes one call of the role's; gives after how many milliseconds there is one, or 0. */
  takeCall(): number | Promise<number>;
  readonly isEnforced: boolean;
  /** How long a definition holds. */
  readonly definitionsMs: number;
}

const MAX_DEFINITIONS = 1_000;
/** As many forms are read one by one at most. */
const MAX_SINGLE_READS = 100;

/** Gives the platform with the calls that a role may make. All others fail, and none of them is sent. */
export function guardUpstream(upstream: Upstream, options: GuardOptions): Upstream {
  const { role, check, isEnforced } = options;
  const { forms, instances, cases, rules, dialect } = upstream;
  const readForm = (formId: string, given?: ReadOptions) =>
    call('getForm', { formId }, () => forms.read(formId, given));
  const listForms = createFormList(upstream, options, readForm);

  const count = <T>(operation: OperationName, send: () => Promise<T>): Promise<T> => {
    const waitMs = options.takeCall();
    if (waitMs === 0) return send();
    return Promise.resolve(waitMs).then((ms) => {
      if (ms > 0) throw overLimit(operation, role, ms);
      return send();
    });
  };
  const call = <T>(operation: OperationName, subject: Subject, send: () => Promise<T>): Promise<T> => {
    check(operation, subject);
    return count(operation, send);
  };
  const checkSearch = createSearchCheck(upstream, options, (formId, given) =>
    count('getForm', () => forms.read(formId, given)),
  );
  return {
    dialect,
    pageSizes: listForms.pageSizes,
    authenticate: upstream.authenticate,
    forms: {
      read: readForm,
      list: (query, given) => call('getForms', {}, () => listForms.read(query, given)),
    },
    instances: {
      read: (key, given) => call('getFormIntance', key, () => instances.read(key, given)),
      list: (formId, query, given) =>
        call('getFormIntances', { formId }, () => {
          const checking = checkSearch(formId, query, given);
          return checking
            ? checking.then(() => instances.list(formId, query, given))
            : instances.list(formId, query, given);
        }),
      async create(formId, values, given) {
        const created = await call('createFormIntance', { formId }, () => instances.create(formId, values, given));
        return isEnforced ? toReadable(role, created) : created;
      },
      replace: (key, values, given) => call('updateFormIntance', key, () => instances.replace(key, values, given)),
      update: (key, values, given) =>
        call('updateValuesOfFormIntance', key, () => instances.update(key, values, given)),
      delete: (key, given) => call('deleteFormIntance', key, () => instances.delete(key, given)),
    },
    cases: {
      start: (process, { attributes, values }, given) =>
        call('startCase', { process, attributes }, () => cases.start(process, { attributes, values }, given)),
      execute: (caseId, activityId, { attributes, values }, given) =>
        call('executeCurrentActivity', { attributes }, () =>
          cases.execute(caseId, activityId, { attributes, values }, given),
        ),
    },
    rules: {
      read: (key, given) => call('getParameters', key, () => rules.read(key, given)),
      execute: (key, parameters, given) => call('execute', key, () => rules.execute(key, parameters, given)),
    },
  };
}

/** A created instance, as a role may see it: who may not read it gets its ids. */
export function toReadable(role: Role, { formId, instanceId, content }: InstanceRecord): InstanceRecord {
  const mayRead = role.allows('getFormIntance', { formId });
  return { formId, instanceId, ...(mayRead && { content }) };
}

const overLimit = (operation: OperationName, { name, content }: Role, retryAfterMs: number): UpstreamError =>
  new UpstreamError('rate-limited', {
    operation,
    retryAfterMs: Math.ceil(retryAfterMs),
    advice: `It is the limit of the role ${name}, ${content.callsPerMinute} calls a minute.`,
    isUnsent: true,
    isFinal: true,
  });

/**
 * Makes the check of searches: a filter and an order tell about the fields that they name, also about those of other forms. It
 * gives a promise only where a definition has to be read.
 */
function createSearchCheck(
  { dialect }: Upstream,
  { role, refuseSearch, isEnforced, definitionsMs }: GuardOptions,
  readForm: Upstream['forms']['read'],
) {
  const { instanceId } = dialect.search;
  const definitions = new LRUCache<string, ReadonlyMap<string, FieldRecord>>({
    max: MAX_DEFINITIONS,
    ttl: Math.max(definitionsMs, 1_000),
    perf: { now: () => performance.now() },
  });
  /** A form whose definition is not to be had has no fields here. */
  const readFields = async (formId: string, work: ReadOptions['work']) => {
    const { record } = await readRecord(readForm(formId, { work })).catch((error: unknown) => {
      if (!isOneOf(DENIED, error)) throw error;
      return { record: undefined };
    });
    const fields = new Map((record?.fields ?? []).map((field) => [field.name, field]));
    definitions.set(formId, fields);
    return fields;
  };
  const checkFields = (formId: string, names: readonly string[], fields: ReadonlyMap<string, FieldRecord>): void => {
    const isAllowed = names.every((name) => {
      const field = fields.get(name);
      const { reference = formId } = field ?? {};
      return field !== undefined && role.allows('getFormIntance', { formId: reference });
    });
    if (!isAllowed) refuseSearch('getFormIntances', formId);
  };

  return (formId: string, query: ListQuery, given: ReadOptions = {}): Promise<void> | undefined => {
    const names = namesIn(query).filter((name) => name !== instanceId);
    if (names.length === 0) return undefined;
    const known = definitions.get(formId);
    if (known === undefined) {
      return readFields(formId, given.work).then(
        (fields) => checkFields(formId, names, fields),
        (error: unknown) => {
          // What would be refused is not known then.
          if (isEnforced) throw error;
        },
      );
    }
    checkFields(formId, names, known);
    return undefined;
  };
}

const namesIn = ({ where, orderBy }: ListQuery): readonly string[] => [...where, ...orderBy].map(({ field }) => field);

/** Makes the list of the forms that a role may look at: what it may not is never read, since the total would tell of it. */
function createFormList(
  upstream: Upstream,
  { role, refuseSearch, isEnforced }: GuardOptions,
  readOne: Upstream['forms']['read'],
) {
  const { dialect, forms } = upstream;
  const { formId: idField } = dialect.search;
  const { id, name, description, version } = dialect.form;
  const searchable = new Set([idField, ...id, ...name, ...description, ...version]);
  const isLookable = (formId: string) => role.allows('getForm', { formId });
  const restriction = restrictionOf(role, upstream);
  const isSingle = restriction === 'one by one';

  const restrict = (query: ListQuery): ListQuery => {
    const ofId = query.where.filter(({ field }) => field === idField || id.includes(field));
    const isNamed = ofId.every(({ operator, values }) => ['EQ', 'IN'].includes(operator) && values.every(isLookable));
    const names = namesIn(query);
    const isSearchable = names.every((field) => searchable.has(field)) && isNamed && restriction !== 'not at all';
    const isReadable = !isSingle || (names.length === 0 && role.lookable.length <= MAX_SINGLE_READS);
    if (!isSearchable || !isReadable) refuseSearch('getForms');
    // Of two conditions on one field, a platform may see one; one on a field that it does not know, it may not see.
    const isRestricted = ofId.some(({ field }) => field === idField);
    if (!isEnforced || isRestricted || typeof restriction === 'string') return query;
    return { ...query, where: [...query.where, ...restriction] };
  };
  return {
    // Pages that are made here say nothing of the platform's.
    pageSizes:
      isSingle && isEnforced
        ? { ...upstream.pageSizes, isInDoubt: () => false, saw: () => undefined }
        : upstream.pageSizes,
    async read(given: ListQuery, options?: ReadOptions): Promise<ReadResult<PageRecord<FormRecord>>> {
      const query = restrict(given);
      if (isSingle && isEnforced) {
        return readSingly(role.lookable, query, (formId) => readOne(formId, { work: options?.work }));
      }
      const result = await forms.list(query, options);
      if (!isEnforced || result.notModified) return result;
      const { items, total = 0 } = result.record;
      const isCountable = role.hasOthers || total <= role.lookable.length;
      if (isCountable && items.every(({ formId }) => role.mayList(formId))) return result;
      const advice = 'It gave forms that a search excludes: set search.operators.IN and NE to null in the dialect.';
      throw new UpstreamError('malformed', { operation: 'getForms', advice });
    },
  };
}

/** The conditions under which a list has only forms that a role may look at. */
function restrictionOf(role: Role, { dialect }: Upstream): readonly Criterion[] | 'one by one' | 'not at all' {
  const { search } = dialect;
  const { hidden, lookable } = role;
  if (role.hasOthers) {
    if (hidden.length > 0 && !hasOperator('NE', search)) return 'not at all';
    return hidden.map((formId) => ({ field: search.formId, operator: 'NE', values: [formId] }));
  }
  const groups = groupByCriterion(search.formId, lookable, dialect, Number.POSITIVE_INFINITY) ?? [];
  const [only, ...others] = groups;
  return only && others.length === 0 && only.values.length === lookable.length ? [only] : 'one by one';
}

/** Reads a page of forms where the platform cannot be asked for a list of them. */
async function readSingly(
  formIds: readonly string[],
  { pageNumber, perPage }: ListQuery,
  readOne: (formId: string) => Promise<ReadResult<FormRecord | undefined>>,
): Promise<ReadResult<PageRecord<FormRecord>>> {
  const read = await Promise.all(formIds.map((formId) => readRecord(readOne(formId))));
  const found = read.flatMap(({ record }) => record ?? []);
  const start = (pageNumber - 1) * perPage;
  const record = { items: found.slice(start, start + perPage), total: found.length };
  const sum = (member: 'bytes' | 'textBytes') => read.reduce((bytes, one) => bytes + one[member], 0);
  const sizes = { bytes: sum('bytes'), textBytes: sum('textBytes') };
  return { notModified: false, record, decode: () => record, validator: undefined, ...sizes };
}

/** @throws {Error} for a 304 without a condition. */
async function readRecord<T>(reading: Promise<ReadResult<T>>) {
  const result = await reading;
  if (result.notModified) throw new Error('The upstream confirmed what was not cached.');
  return result;
}
