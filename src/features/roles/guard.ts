import { createCache } from '../../cache/cache.ts';
import type { CacheStore } from '../../cache/store.ts';
import { DENIED, isOneOf, UpstreamError } from '../../core/errors.ts';
import { RequestState } from '../../core/request-state.ts';
import type { CallOptions, ReadOptions } from '../../upstream/call.ts';
import type { Buckets } from '../../upstream/call-buckets.ts';
import { limited } from '../../upstream/call-budget.ts';
import type { Upstream } from '../../upstream/index.ts';
import type { Audited, Change, Read } from '../../upstream/operation.ts';
import { toKey } from '../../upstream/operations.ts';
import type { FieldRecord, FormRecord, PageRecord, ReadResult } from '../../upstream/records.ts';
import { getForm, getForms } from '../../upstream/resources/forms.ts';
import { type Criterion, groupByCriterion, type ListQuery } from '../../upstream/search.ts';
import type { Demand, Role } from './role.ts';

interface GuardOptions {
  readonly role: Role;
  /** Whether disallowed calls are refused, or only logged. */
  readonly isEnforced: boolean;
  /**
   * Checks a permission.
   *
   * @throws {UpstreamError} `forbidden` if the role does not have it and permissions are enforced.
   */
  check(operation: string, demand: Demand): void;
  /** Takes one of the role's calls for a caller. Returns the exceeded limit if no call is left. */
  takeCall(caller: string | undefined): ReturnType<Buckets['take']>;
  /** Stores the definitions by which searches are checked. */
  readonly store: CacheStore;
}

/**
 * Returns the platform, limited to the calls that a role allows. Other calls fail and are not sent.
 */
export function guardUpstream(upstream: Upstream, options: GuardOptions): Upstream {
  const { role, isEnforced, check } = options;

  const platform = limitCalls(upstream, options);
  const readFields = createFieldReader(platform, options);
  const restrict = createRestrict(upstream, options);
  /**
   * Checks or restricts the query of a list. Filters and sort orders can leak field values,
   * including fields of referenced forms.
   */
  const checkList = async <A, T>(
    of: Read<A, T>,
    query: A & ListQuery,
    requestState?: RequestState,
  ): Promise<A> => {
    const need = of.needs(query);
    const formId = need.of === 'forms' ? need.formId : undefined;
    if (need.of === 'forms' && formId === undefined) return restrict(query);
    const own = of.fields?.(upstream.dialect) ?? [];
    const others = namesIn(query).filter((name) => !own.includes(name));
    if (others.length === 0) return query;
    const fields = of.hasFormFields && (await readFields(String(formId), requestState));
    const mayName = (name: string): boolean => {
      const field = fields?.get(name);
      const target = field && (field.reference ?? formId);
      return target !== undefined && role.allows({ of: 'forms', verb: 'read', formId: target });
    };
    if (!others.every(mayName)) check(of.name, { of: 'search', formId });
    return query;
  };
  const readList = async <A, T>(of: Read<A, T>, given: A, reading?: ReadOptions) => {
    const args = await checkList(of, given as A & ListQuery, reading?.requestState);
    const result = await platform.read(of, args, reading);
    if (isEnforced && of.name === getForms.name)
      checkListed(role, result as ReadResult<PageRecord<FormRecord | Error>>);
    return result;
  };
  return {
    ...upstream,
    read<A, T>(of: Read<A, T>, args: A, reading?: ReadOptions) {
      check(of.name, of.needs(args));
      return of.query ? readList(of, args, reading) : platform.read(of, args, reading);
    },
    async change<A extends Audited<A>, T>(of: Change<A, T>, args: A, given?: CallOptions) {
      check(of.name, of.needs(args));
      const result = await platform.change(of, args, given);
      const { formId }: { readonly formId?: string } = args;
      // A caller without permission to read the changed instance gets only its ids.
      const isShown =
        !isEnforced || formId === undefined || role.allows({ of: 'forms', verb: 'read', formId });
      return isShown ? result : (toKey(result) as T);
    },
  };
}

/** Returns the platform with the call limit and the reserve of a role. */
function limitCalls(
  upstream: Upstream,
  { role: { name, content }, takeCall }: GuardOptions,
): Upstream {
  const take = async (operation: string, given: CallOptions | undefined): Promise<void> => {
    const shortage = await takeCall(given?.requestState?.caller);
    if (shortage === undefined) return;
    const advice = `It is the limit of the role ${name}, ${content.callsPerMinute} calls a minute.`;
    throw limited(operation, shortage.waitMs, shortage.limit, advice);
  };
  return {
    ...upstream,
    read: (of, args, reading) =>
      take(of.name, reading).then(() => upstream.read(of, args, { ...reading, role: name })),
    change: (of, args, given) =>
      take(of.name, given).then(() => upstream.change(of, args, { ...given, role: name })),
  };
}

type ReadFields = (
  formId: string,
  requestState: RequestState | undefined,
) => Promise<ReadonlyMap<string, FieldRecord>>;

/**
 * Returns a function that reads the fields of a form, to check a search. The result is empty if the
 * definition is unavailable.
 */
function createFieldReader(upstream: Upstream, { isEnforced, store }: GuardOptions): ReadFields {
  const cache = createCache(upstream, store, store.partition());
  return async (formId, requestState) => {
    // Without enforcement, the check must not use up the operation's calls.
    const read = cache.reads((isEnforced && requestState) || new RequestState());
    const form = await read(getForm, { formId }).catch((error: unknown) => {
      if (isEnforced && !isOneOf(DENIED, error)) throw error;
      return undefined;
    });
    return new Map(form?.fields?.map((field) => [field.name, field]));
  };
}

const namesIn = ({ where, orderBy }: ListQuery): readonly string[] =>
  [...where, ...orderBy].map(({ field }) => field);

/**
 * The maximum length of a role's own condition, in characters. Conditions of the client are added
 * to it.
 */
const RESTRICTION = { maxIds: Number.POSITIVE_INFINITY, maxLength: 3_000 };

/**
 * Returns a function that restricts a list of forms to the forms that a role may look at. Other
 * forms are excluded in the query, because the list's total would reveal them.
 */
function createRestrict(
  upstream: Upstream,
  { role, isEnforced, check }: GuardOptions,
): <Q extends ListQuery>(query: Q) => Q {
  const { lookable } = role;
  if (lookable === undefined) return (query) => query;
  const { dialect } = upstream;
  const { formId: idField } = dialect.search;
  const { id } = dialect.form;
  const searchable = getForms.fields(dialect);
  const [restriction, ...others] = groupByCriterion(idField, lookable, dialect, RESTRICTION) ?? [];
  // Without a single condition for all ids, the list is refused.
  const isListed = restriction?.values.length === lookable.length && others.length === 0;

  return (query) => {
    const ofId = query.where.filter(({ field }) => field === idField || id.includes(field));
    const isNamed = ofId.every(
      ({ operator, values }) =>
        ['EQ', 'IN'].includes(operator) && values.every((one) => lookable.includes(one)),
    );
    if (!isListed || !isNamed || !namesIn(query).every((field) => searchable.includes(field)))
      check(getForms.name, { of: 'search', formId: undefined });
    // A platform may ignore one of two conditions on the same field, or a condition on an unknown
    // field. So a query that already names the id gets no second condition.
    if (!isEnforced || ofId.some(({ field }) => field === idField)) return query;
    return { ...query, where: [...query.where, restriction as Criterion] };
  };
}

/**
 * Checks that a list of forms contains only forms that the role may look at.
 *
 * @throws {UpstreamError} `malformed` if the platform has ignored the condition.
 */
function checkListed(
  { lookable }: Role,
  result: ReadResult<PageRecord<FormRecord | Error>> | undefined,
): void {
  if (lookable === undefined || result === undefined) return;
  const { items, total = 0 } = result.record;
  if (
    total <= lookable.length &&
    items.every((form) => form instanceof Error || lookable.includes(form.formId))
  )
    return;
  const advice =
    'It gave forms that a search excludes: set search.operators.IN to null in the dialect.';
  throw new UpstreamError('malformed', { operation: 'getForms', advice });
}
