import { locatedError } from 'graphql';

import { checkKey, hasNotHappened } from '../../cache/idempotency.ts';
import { scopeKey } from '../../cache/scope-key.ts';
import {
  ConflictError,
  InputError,
  isOneOf,
  KeyReusedError,
  UpstreamError,
  type UpstreamFailure,
  withFieldNames,
} from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { RequestIds } from '../../core/observers.ts';
import type { MakeChange, OperationContext } from '../../graphql/context.ts';
import { isUnexpected, toClientError } from '../../graphql/errors.ts';
import { toFormId, toInstanceId } from '../../graphql/relay.ts';
import { resolvers } from '../../graphql/resolvers.ts';
import type { ChangeMeaning } from '../../graphql/schema-metadata.ts';
import { type Constraint, type Violation, violationError } from '../../graphql/violations.ts';
import { checkInt64 } from '../../upstream/path.ts';
import type { InstanceKey } from '../../upstream/records.ts';
import { INSTANCES } from '../../upstream/resources/instances.ts';

export const MAX_ITEMS = 100;
/** So many of a call are under way at a time. */
const AT_A_TIME = 4;
/** When to send again what was not sent, where nobody says when, in milliseconds. */
const RETRY_AFTER_MS = 1_000;

/** The input of a bulk write. */
interface BulkInput {
  /** Not in the typed graph. */
  readonly formId: string;
  readonly items: readonly GivenItem[];
  readonly onError: 'CONTINUE' | 'STOP';
  readonly idempotencyKey?: string | null;
}

/** An item as the graph takes it. What is created has no `instanceId` yet. */
type GivenItem = Readonly<Record<string, unknown>> & Pick<InstanceKey, 'instanceId'>;

/** The outcomes of an item, by the name of its count. */
export const STATUSES = {
  done: 'DONE',
  failed: 'FAILED',
  unknown: 'UNKNOWN',
  notSent: 'NOT_SENT',
} as const;

/** The outcome of one item. One that is done has the payload of the mutation of one instance. */
export interface ItemResult {
  readonly status: (typeof STATUSES)[keyof typeof STATUSES];
  readonly payload?: object;
  readonly error?: Readonly<
    Record<'code' | 'message' | 'violations' | 'retryable' | 'retryAfterMs', unknown>
  > & { readonly current?: unknown };
}

/** An item in generic words, with the platform's ids. */
type CheckedItem = InstanceKey & { readonly values: never; readonly expected?: object };

/**
 * Makes the changes of a bulk write, a few at a time, and gives what became of each, in the order of its items.
 *
 * @throws {GraphQLError} for too many items or none. @throws {InputError} for a key that is none. Nothing was sent then.
 */
export async function runBulk(
  input: BulkInput,
  change: ChangeMeaning,
  context: OperationContext,
  log: Log,
) {
  const { items, onError, idempotencyKey: key } = input;
  const miscounted = checkCount(items);
  if (miscounted) throw violationError([{ path: ['input', 'items'], ...miscounted }]);
  if (key != null) checkKey(key);
  const formId = change.formId ?? toFormId(input.formId);

  const toFailed = (error: unknown) => toResult(error, change.fieldNames, context.ids, log);
  const checked = checkItems(items, formId, change);
  const takeTurn = createConcurrencyLimit();
  const hasFailed = checked.some((item) => item instanceof Error);
  const send = createSend(onError === 'STOP', hasFailed);
  const latest = readTogether(checked, formId, context);
  const run = async (
    item: CheckedItem,
    position: number,
    makeChange: MakeChange,
  ): Promise<ItemResult> => {
    let endTurn: (() => void) | undefined;
    const around = async <T>(sendNow: () => Promise<T>): Promise<T> => {
      // Where another replica was first, this runs again.
      endTurn ??= await takeTurn();
      return send(sendNow);
    };
    const origin = { item: position, key: key ?? undefined };
    const changeOne: MakeChange = (of, args, options) =>
      makeChange(of, args, { ...options, origin, around });
    // A hash, which no client takes for a key of its own by chance.
    const idempotencyKey = key == null ? undefined : scopeKey('bulk', key, String(position));
    const mutate = resolvers.Mutation[`${change.word}Instance`];
    try {
      const payload = await mutate(
        {},
        { input: { ...item, idempotencyKey } },
        { ...context, change: changeOne, latest },
      );
      return { status: 'DONE', payload };
    } catch (error) {
      return toFailed(error instanceof KeyReusedError ? CHANGED : error);
    } finally {
      // Once its outcome is kept, so that a replica which dies leaves no more than these unknown.
      endTurn?.();
    }
  };

  const results = await context.changeTogether((makeChange) =>
    Promise.all(
      checked.map((item, at) =>
        item instanceof Error ? toFailed(item) : run(item, at, makeChange),
      ),
    ),
  );
  const count = (wanted: string) => results.filter(({ status }) => status === wanted).length;
  const counts = Object.fromEntries(
    Object.entries(STATUSES).map(([name, status]) => [name, count(status)]),
  );
  const codes = [...new Set(results.flatMap(({ error }) => error?.code ?? []))];
  if (codes.length > 0) log.warn({ ...context.ids, ...counts, codes }, 'bulk write');
  return { results, ...counts };
}

/** Says whether a bulk write takes so many items. */
export const checkCount: Constraint = (items) => {
  if (!Array.isArray(items)) return undefined;
  const message = `must have 1 to ${MAX_ITEMS} items`;
  if (items.length === 0) return { constraint: 'minItems', limit: 1, message };
  return items.length > MAX_ITEMS
    ? { constraint: 'maxItems', limit: MAX_ITEMS, message }
    : undefined;
};

/** Gives each item in generic words, or why it cannot be taken. */
function checkItems(
  items: readonly GivenItem[],
  formId: string,
  { word, toGeneric }: ChangeMeaning,
): (CheckedItem | Error)[] {
  const places = new Map<string, number>();
  /** Several items are under way at a time: which change of one instance came last would be chance. */
  const takeInstance = (id: string, position: number): string => {
    const instanceId = checkInt64('instanceId', toInstanceId(formId, id));
    const before = places.get(instanceId);
    if (before !== undefined)
      throw new InputError(`Item ${before} is the same instance: change it once in a call.`);
    places.set(instanceId, position);
    return instanceId;
  };
  return items.map((given, position) => {
    try {
      // Before its values are looked at, which may be corrected when the call is sent again.
      const instanceId = word === 'create' ? undefined : takeInstance(given.instanceId, position);
      const item: unknown = toGeneric({ ...given, formId, ...(instanceId && { instanceId }) });
      return item as CheckedItem;
    } catch (error) {
      return error as Error;
    }
  });
}

/** Returns loaders that read all instances of which values are expected with the first of them. */
function readTogether(
  items: readonly (CheckedItem | Error)[],
  formId: string,
  context: OperationContext,
): OperationContext['latest'] {
  const loaders = context.latest();
  const expecting = items.filter((item) => !(item instanceof Error) && item.expected);
  const load: typeof loaders.load = (entity, ids) => {
    // An item may fail before it needs its instance.
    for (const { instanceId } of expecting.splice(0) as CheckedItem[])
      loaders.load(INSTANCES, { formId, instanceId }).catch(() => undefined);
    return loaders.load(entity, ids);
  };
  return () => ({ load });
}

/** Refusals of one item by the platform. */
const OF_ITEM: readonly UpstreamFailure[] = ['forbidden', 'not-found', 'rejected'];

/** Failures without an effect that are not the item's own are of the caller, the platform or the request, and so of every item. */
function statusOf(error: unknown): ItemResult['status'] {
  if (isOneOf(['outcome-unknown'], error)) return 'UNKNOWN';
  const isOfItem = error instanceof InputError || isOneOf(OF_ITEM, error);
  return hasNotHappened(error) && !isOfItem ? 'NOT_SENT' : 'FAILED';
}

/** Thrown in place of sending what `STOP` leaves; not retried by time, since the failed item has to be corrected first. */
const STOPPED = new UpstreamError('cancelled', { operation: 'bulk', isUnsent: true });
const message =
  'Not sent, since another item failed and onError is STOP: correct that one, then send the call again.';
const STOPPED_ERROR = {
  code: 'BULK_STOPPED',
  message,
  violations: [],
  retryable: true,
  retryAfterMs: undefined,
};

/** The call has one key: with a new one, as other mutations take, all that is done would be done again. */
const CHANGED = new InputError(
  'With this idempotencyKey another item was sent at this position: send the items of that call in their order, and new changes with a key of their own.',
);

/** Lets a few items be sent at a time, in their order: it resolves with the function that ends an item's turn. */
function createConcurrencyLimit(): () => Promise<() => void> {
  let free = AT_A_TIME;
  const waiting: (() => void)[] = [];
  const end = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  return async () => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return end;
  };
}

/** Sends items, and none once one was not sent for a reason that concerns all, or where `STOP` says so. */
function createSend(isStopping: boolean, hasFailed: boolean) {
  const afterFailure = isStopping ? STOPPED : undefined;
  let reason: unknown = hasFailed ? afterFailure : undefined;
  return async <T>(send: () => Promise<T>): Promise<T> => {
    if (reason) throw reason;
    try {
      return await send();
    } catch (error) {
      // Where another replica was first, what became of the item is still to come; a client that leaves ends each item.
      if (!isOneOf(['cancelled'], error))
        reason ??= statusOf(error) === 'NOT_SENT' ? error : afterFailure;
      throw error;
    }
  };
}

/** Words a failure as a mutation of one instance does, with paths from the item on. */
function toResult(
  thrown: unknown,
  fieldNames: ChangeMeaning['fieldNames'],
  ids: RequestIds,
  log: Log,
): ItemResult {
  if (thrown === STOPPED) return { status: 'NOT_SENT', error: STOPPED_ERROR };
  const isRefusal = thrown instanceof UpstreamError || thrown instanceof ConflictError;
  const named = fieldNames ? withFieldNames(thrown, fieldNames) : thrown;
  // With a path its cause is found.
  const error = locatedError(named, undefined, ['items']);
  if (isUnexpected(error)) log.error({ ...ids, err: thrown }, 'unexpected error');
  const { message, extensions: { code, retryable, retryAfterMs, ...rest } = {} } = toClientError(
    error,
    ids,
  );
  const given = (rest['violations'] ?? []) as readonly Violation[];
  const violations = given.map(({ path: [, ...path], ...violation }) => ({ ...violation, path }));
  const status = statusOf(thrown);
  const waitMs = retryAfterMs ?? (status === 'NOT_SENT' && retryable ? RETRY_AFTER_MS : undefined);
  return {
    status,
    error: {
      code,
      message: isRefusal || violations.length === 0 ? message : violationError(violations).message,
      violations,
      retryable,
      retryAfterMs: waitMs === undefined ? undefined : Math.ceil(Number(waitMs)),
      current: thrown instanceof ConflictError ? thrown.record : undefined,
    },
  };
}
