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

/** Gives the platform with the calls that a role may make. All others fail, and none of them is sent. */
export function guardUpstream(upstream: Upstream, options: GuardOptions): Upstream {
  const { role, check, isEnforced, takeCall } = options;
  const { forms, instances, cases, rules, dialect } = upstream;

  const send = <T>(operation: OperationName, make: () => Promise<T>): Promise<T> => {
    const waitMs = takeCall();
    if (waitMs === 0) return make();
    return Promise.resolve(waitMs).then((ms) => {
      if (ms > 0) throw overLimit(operation, role, ms);
      return make();
    });
  };
  const call = <T>(operation: OperationName, subject: Subject, make: () => Promise<T>): Promise<T> => {
    check(operation, subject);
    return send(operation, make);
  };
  /** Counts a call that roles alone make as one of the operation. Where nothing is refused, it must take none from others. */
  const reserve = (work: ReadOptions['work']) => {
    if (isEnforced) work?.reserveCall('getForm');
  };
  const readForm: ReadForm = async (formId, work) => {
    const result = await send('getForm', () => forms.read(formId, { work }));
    if (result.notModified) throw new Error('The upstream confirmed what was not cached.');
    return result;
  };
  const checkSearch = createSearchCheck(upstream, options, (formId, work) => {
    reserve(work);
    return readForm(formId, work);
  });
  const restriction = restrictionOf(role, upstream);
  const restrict = createRestrict(upstream, options, restriction);
  const isSingle = isEnforced && restriction === undefined;
  return {
    dialect,
    pageSizes: {
      ...upstream.pageSizes,
      saw(operation, rows) {
        // Pages that are made here say nothing of the platform's.
        if (operation !== 'getForms' || !isSingle) upstream.pageSizes.saw(operation, rows);
      },
    },
    authenticate: upstream.authenticate,
    forms: {
      read: (formId, given) => call('getForm', { formId }, () => forms.read(formId, given)),
      async list(given, reading) {
        check('getForms', {});
        const query = restrict(given);
        if (isSingle) {
          // All before the first, so that none is made in vain.
          for (const _ of role.lookable) reserve(reading?.work);
          return readSingly(role.lookable, query, (formId) => readForm(formId, reading?.work));
        }
        const result = await send('getForms', () => forms.list(query, reading));
        if (isEnforced) checkListed(role, result);
        return result;
      },
    },
    instances: {
      read: (key, given) => call('getFormIntance', key, () => instances.read(key, given)),
      list(formId, query, given) {
        check('getFormIntances', { formId });
        const list = () => send('getFormIntances', () => instances.list(formId, query, given));
        return checkSearch(formId, query, given?.work)?.then(list) ?? list();
      },
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
      start: (process, body, given) =>
        call('startCase', { process, attributes: body.attributes }, () => cases.start(process, body, given)),
      execute: (caseId, activityId, body, given) =>
        call('executeCurrentActivity', { attributes: body.attributes }, () =>
          cases.execute(caseId, activityId, body, given),
        ),
    },
    rules: {
      read: (key, given) => call('getParameters', key, () => rules.read(key, given)),
      execute: (key, parameters, given) => call('execute', key, () => rules.execute(key, parameters, given)),
    },
  };
}

type ReadForm = (formId: string, work: ReadOptions['work']) => Promise<Read<FormRecord | undefined>>;
type Read<T> = Extract<ReadResult<T>, { readonly notModified: false }>;

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

const MAX_DEFINITIONS = 1_000;

/** Makes the check of searches: a filter and an order tell about the fields that they name, also about those of other forms. */
function createSearchCheck(
  { dialect }: Upstream,
  { role, refuseSearch, isEnforced, definitionsMs }: GuardOptions,
  readForm: ReadForm,
) {
  const ttl = Math.max(definitionsMs, 1_000);
  const definitions = new LRUCache<string, ReadonlyMap<string, FieldRecord>>({ max: MAX_DEFINITIONS, ttl });
  /** A form whose definition is not to be had has no fields here. */
  const readFields = async (formId: string, work: ReadOptions['work']) => {
    const form = await readForm(formId, work).catch((error: unknown) => {
      if (!isOneOf(DENIED, error)) throw error;
      return undefined;
    });
    const fields = new Map(form?.record?.fields?.map((field) => [field.name, field]));
    definitions.set(formId, fields);
    return fields;
  };
  const checkNames = async (formId: string, names: readonly string[], work: ReadOptions['work']) => {
    const reading = definitions.get(formId) ?? readFields(formId, work);
    // What would be refused is not known where it cannot be read.
    const fields = await (isEnforced ? reading : Promise.resolve(reading).catch(() => undefined));
    const mayName = (name: string): boolean => {
      const field = fields?.get(name);
      return field !== undefined && role.allows('getFormIntance', { formId: field.reference ?? formId });
    };
    if (fields && !names.every(mayName)) refuseSearch('getFormIntances', formId);
  };

  /** Gives a promise where a query names fields, as few do. */
  return (formId: string, query: ListQuery, work: ReadOptions['work']): Promise<void> | undefined => {
    const names = namesIn(query).filter((name) => name !== dialect.search.instanceId);
    return names.length === 0 ? undefined : checkNames(formId, names, work);
  };
}

const namesIn = ({ where, orderBy }: ListQuery): readonly string[] => [...where, ...orderBy].map(({ field }) => field);

/** Makes the queries of the forms that a role may look at: what it may not is never read, since the total would tell of it. */
function createRestrict(
  { dialect }: Upstream,
  { role, refuseSearch, isEnforced }: GuardOptions,
  restriction: readonly Criterion[] | undefined,
): (query: ListQuery) => ListQuery {
  const { formId: idField } = dialect.search;
  const { id, name, description, version } = dialect.form;
  const searchable = new Set([idField, ...id, ...name, ...description, ...version]);
  const isLookable = (formId: string) => role.allows('getForm', { formId });

  return (query) => {
    const names = namesIn(query);
    const ofId = query.where.filter(({ field }) => field === idField || id.includes(field));
    const isNamed = ofId.every(({ operator, values }) => ['EQ', 'IN'].includes(operator) && values.every(isLookable));
    const isSearchable = isNamed && names.every((field) => searchable.has(field));
    if (restriction ? !isSearchable : role.hasOthers || names.length > 0) refuseSearch('getForms');
    // Of two conditions on one field, a platform may see one; one on a field that it does not know, it may not see.
    const isRestricted = ofId.some(({ field }) => field === idField);
    if (!isEnforced || isRestricted || restriction === undefined) return query;
    return { ...query, where: [...query.where, ...restriction] };
  };
}

/**
 * Gives the conditions under which a list has only forms that a role may look at; `undefined` where the platform has none: a role
 * reads the forms that it names one by one then, and one with others has no list.
 */
function restrictionOf(role: Role, { dialect }: Upstream): readonly Criterion[] | undefined {
  const { search } = dialect;
  const { hidden, lookable } = role;
  if (role.hasOthers) {
    if (hidden.length > 0 && !hasOperator('NE', search)) return undefined;
    return hidden.map((formId) => ({ field: search.formId, operator: 'NE', values: [formId] }));
  }
  const groups = groupByCriterion(search.formId, lookable, dialect, Number.POSITIVE_INFINITY);
  return groups?.length === 1 && groups[0]?.values.length === lookable.length ? groups : undefined;
}

/** @throws {UpstreamError} where a list has forms that its conditions exclude. */
function checkListed(role: Role, result: ReadResult<PageRecord<FormRecord>>): void {
  if (result.notModified) return;
  const { items, total = 0 } = result.record;
  const isCountable = role.hasOthers || total <= role.lookable.length;
  if (isCountable && items.every(({ formId }) => role.mayList(formId))) return;
  const advice = 'It gave forms that a search excludes: set search.operators.IN and NE to null in the dialect.';
  throw new UpstreamError('malformed', { operation: 'getForms', advice });
}

/** Reads a page of forms where the platform cannot be asked for a list of them. */
async function readSingly(
  formIds: readonly string[],
  { pageNumber, perPage }: ListQuery,
  readOne: (formId: string) => ReturnType<ReadForm>,
): Promise<Read<PageRecord<FormRecord>>> {
  const read = await Promise.all(formIds.map(readOne));
  const found = read.flatMap(({ record }) => record ?? []);
  const start = (pageNumber - 1) * perPage;
  const record = { items: found.slice(start, start + perPage), total: found.length };
  const sum = (member: 'bytes' | 'textBytes') => read.reduce((bytes, one) => bytes + one[member], 0);
  const sizes = { bytes: sum('bytes'), textBytes: sum('textBytes') };
  return { notModified: false, record, decode: () => record, validator: undefined, ...sizes };
}
