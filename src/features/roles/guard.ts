import { LRUCache } from 'lru-cache';

import { DENIED, isOneOf, UpstreamError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import type { CallOptions, ReadOptions } from '../../upstream/call.ts';
import type { Buckets, Shortage } from '../../upstream/call-buckets.ts';
import { limited } from '../../upstream/call-budget.ts';
import type { Upstream } from '../../upstream/index.ts';
import type { Audited, Change, Need, Read } from '../../upstream/operation.ts';
import type { FieldRecord, FormRecord, InstanceKey, PageRecord, ReadResult } from '../../upstream/records.ts';
import { getForm, getForms } from '../../upstream/resources/forms.ts';
import { type Criterion, groupByCriterion, type ListQuery } from '../../upstream/search.ts';
import type { Demand, Role } from './role.ts';

interface GuardOptions {
  readonly role: Role;
  /** Whether what the role does not allow is refused; else it is noted alone. */
  readonly isEnforced: boolean;
  /** @throws {UpstreamError} `forbidden` for what the role does not allow, where that is refused. */
  check(operation: string, demand: Demand): void;
  /** @throws {UpstreamError} `forbidden` where that is refused. */
  refuseSearch(operation: string, formId?: string): void;
  /** Takes one call of the role's for one of its callers, or says which limit leaves none. */
  takeCall(caller: string | undefined): ReturnType<Buckets['take']>;
  /** How long a definition holds. */
  readonly definitionsMs: number;
}

/** Gives the platform with the calls that a role may make. All others fail, and none of them is sent. */
export function guardUpstream(upstream: Upstream, options: GuardOptions): Upstream {
  const { role, isEnforced, check, takeCall, refuseSearch } = options;

  const send = <T>(operation: string, given: CallOptions | undefined, make: () => Promise<T>): Promise<T> => {
    const taken = takeCall(given?.work?.caller);
    if (taken === undefined) return make();
    return Promise.resolve(taken).then((shortage) => {
      if (shortage) throw overLimit(operation, shortage, role);
      return make();
    });
  };
  const checkSearch = createSearchCheck(upstream, options, async (formId, work) => {
    // It is no call that the operation was admitted with. Where nothing is refused, it must take none from others.
    if (isEnforced) work?.reserveCall(getForm.name);
    const result = await send(getForm.name, { work }, () => upstream.read(getForm, { formId }, { work }));
    if (result.notModified) throw new Error('The upstream confirmed what was not cached.');
    return result.record;
  });
  const restrict = createRestrict(upstream, options);
  /** A filter and an order tell about the fields that they name. */
  const checkList = async <Q extends ListQuery>(of: string, need: Need, query: Q, work?: Work): Promise<Q> => {
    if (need.of === 'forms' && need.formId === undefined) return restrict(query);
    if (need.of === 'forms' && need.formId !== undefined) await checkSearch(need.formId, query, work);
    // Some platforms take a dot for a way to other records.
    else if (namesIn(query).some((name) => name.includes('.'))) refuseSearch(of);
    return query;
  };
  const readList = async <A, T>(of: Read<A, T>, given: A, reading?: ReadOptions): Promise<ReadResult<T>> => {
    const args = await checkList(of.name, of.needs(given), given as A & ListQuery, reading?.work);
    const result = await send(of.name, reading, () => upstream.read(of, args, reading));
    if (isEnforced && of.name === getForms.name) checkListed(role, result as ReadResult<PageRecord<FormRecord>>);
    return result;
  };
  return {
    ...upstream,
    read<A, T>(of: Read<A, T>, args: A, reading?: ReadOptions) {
      check(of.name, of.needs(args));
      return of.query ? readList(of, args, reading) : send(of.name, reading, () => upstream.read(of, args, reading));
    },
    async change<A extends Audited<A>, T>(of: Change<A, T>, args: A, given?: CallOptions) {
      check(of.name, of.needs(args));
      const result = await send(of.name, given, () => upstream.change(of, args, given));
      return isEnforced ? toReadable(role, result) : result;
    },
  };
}

/** What a change gave, as a role may see it: who may not read an instance gets its ids. */
export function toReadable<T>(role: Role, outcome: T): T {
  if (typeof outcome !== 'object' || outcome === null || !('instanceId' in outcome)) return outcome;
  const { formId, instanceId } = outcome as T & InstanceKey;
  return role.allows({ of: 'forms', verb: 'read', formId }) ? outcome : ({ formId, instanceId } as T);
}

type ReadForm = (formId: string, work: ReadOptions['work']) => Promise<FormRecord | undefined>;

function overLimit(operation: string, { limit, waitMs }: Shortage, { name, content }: Role): UpstreamError {
  const advice = `It is the limit of the role ${name}, ${content.callsPerMinute} calls a minute.`;
  return limited(operation, waitMs, limit, advice);
}

const MAX_DEFINITIONS = 1_000;

/** Makes the check of searches: a filter and an order tell about the fields that they name, also about those of other forms. */
function createSearchCheck(
  { dialect }: Upstream,
  { role, isEnforced, refuseSearch, definitionsMs }: GuardOptions,
  read: ReadForm,
) {
  const ttl = Math.max(definitionsMs, 1_000);
  const definitions = new LRUCache<string, ReadonlyMap<string, FieldRecord>>({ max: MAX_DEFINITIONS, ttl });
  /** A form whose definition is not to be had has no fields here. */
  const readFields = async (formId: string, work: ReadOptions['work']) => {
    const form = await read(formId, work).catch((error: unknown) => {
      if (isEnforced && !isOneOf(DENIED, error)) throw error;
      return undefined;
    });
    const fields = new Map(form?.fields?.map((field) => [field.name, field]));
    definitions.set(formId, fields);
    return fields;
  };
  const checkNames = async (formId: string, names: readonly string[], work: ReadOptions['work']) => {
    const fields = definitions.get(formId) ?? (await readFields(formId, work));
    const mayName = (name: string): boolean => {
      const field = fields.get(name);
      return field !== undefined && role.allows({ of: 'forms', verb: 'read', formId: field.reference ?? formId });
    };
    if (!names.every(mayName)) refuseSearch('getFormIntances', formId);
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
  upstream: Upstream,
  { role, isEnforced, refuseSearch }: GuardOptions,
): <Q extends ListQuery>(query: Q) => Q {
  const { lookable } = role;
  if (lookable === undefined) return (query) => query;
  const { dialect } = upstream;
  const { formId: idField } = dialect.search;
  const { id, name, description, version } = dialect.form;
  const searchable = new Set([idField, ...id, ...name, ...description, ...version]);
  const [restriction, ...others] = groupByCriterion(idField, lookable, dialect, Number.POSITIVE_INFINITY) ?? [];
  // Without a search by all ids there is no list.
  const isListed = restriction?.values.length === lookable.length && others.length === 0;

  return (query) => {
    const ofId = query.where.filter(({ field }) => field === idField || id.includes(field));
    const isNamed = ofId.every(
      ({ operator, values }) => ['EQ', 'IN'].includes(operator) && values.every((one) => lookable.includes(one)),
    );
    if (!isListed || !isNamed || !namesIn(query).every((field) => searchable.has(field))) refuseSearch('getForms');
    // Of two conditions on one field, a platform may see one; one on a field that it does not know, it may not see.
    if (!isEnforced || ofId.some(({ field }) => field === idField)) return query;
    return { ...query, where: [...query.where, restriction as Criterion] };
  };
}

/** @throws {UpstreamError} where a list has forms that its conditions exclude. */
function checkListed({ lookable }: Role, result: ReadResult<PageRecord<FormRecord>>): void {
  if (lookable === undefined || result.notModified) return;
  const { items, total = 0 } = result.record;
  if (total <= lookable.length && items.every(({ formId }) => lookable.includes(formId))) return;
  const advice = 'It gave forms that a search excludes: set search.operators.IN to null in the dialect.';
  throw new UpstreamError('malformed', { operation: 'getForms', advice });
}
