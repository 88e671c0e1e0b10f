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
import {
  type Constraint,
  readAt,
  type Violation,
  ViolationError,
} from '../../graphql/violations.ts';
import type { InstanceKey } from '../../upstream/records.ts';
import { INSTANCES } from '../../upstream/resources/instances.ts';

export const MAX_ITEMS = 100;
/** The number of items that one bulk write sends at the same time. */
const AT_A_TIME = 4;
/** The wait in milliseconds before unsent items may be sent again, if the error names no other. */
const RETRY_AFTER_MS = 1_000;

/** The input of a bulk write. */
interface BulkInput {
  /** Absent in the typed graph. */
  readonly formId: string;
  readonly items: readonly GivenItem[];
  readonly onError: 'CONTINUE' | 'STOP';
  readonly idempotencyKey?: string | null;
}

/** An item as the client sent it. To create an instance, it has no `instanceId`. */
type GivenItem = Readonly<Record<string, unknown>> & Pick<InstanceKey, 'instanceId'>;

/** The statuses of an item, by the member of the payload that counts the items with the status. */
export const STATUSES = {
  done: 'DONE',
  failed: 'FAILED',
  unknown: 'UNKNOWN',
  notSent: 'NOT_SENT',
} as const;

/**
 * The outcome of one item. A `DONE` item has the payload that the mutation of one instance returns.
 */
export interface ItemResult {
  readonly status: (typeof STATUSES)[keyof typeof STATUSES];
  readonly payload?: object;
  readonly error?: Readonly<
    Record<'code' | 'message' | 'violations' | 'retryable' | 'retryAfterMs', unknown>
  > & { readonly current?: unknown };
}

/** An item of the generic graph, with the platform's ids. */
type CheckedItem = InstanceKey & { readonly values: never; readonly expected?: object };

/**
 * Sends the changes of a bulk write, a few at a time. Returns the outcome of each item in the order
 * of the items, and the number of items per outcome.
 *
 * @throws {GraphQLError} for an empty list or too many items. Nothing was sent.
 * @throws {InputError} for an invalid idempotency key. Nothing was sent.
 */
export async function runBulk(
  input: BulkInput,
  change: ChangeMeaning,
  context: OperationContext,
  log: Log,
) {
  const { items, onError, idempotencyKey: key } = input;
  const miscounted = checkCount(items);
  if (miscounted) throw new ViolationError([{ path: ['input', 'items'], ...miscounted }]);
  if (key != null) checkKey(key);
  const formId = change.formId ?? readAt(['input', 'formId'], () => toFormId(input.formId));

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
      // Runs a second time if another replica was first. The item already has its turn then.
      endTurn ??= await takeTurn();
      return send(sendNow);
    };
    const origin = { item: position, key: key ?? undefined };
    const changeOne: MakeChange = (of, args, options) =>
      makeChange(of, args, { ...options, origin, around });
    // A hash cannot equal a key that a client has chosen.
    const idempotencyKey = key == null ? undefined : scopeKey('bulk', key, String(position));
    const mutate = resolvers.Mutation[`${change.verb}Instance`];
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
      // The turn ends after the outcome is stored. So at most `AT_A_TIME` outcomes are unknown if
      // this replica dies.
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

/** Checks the number of items. Returns `undefined` if it is allowed. */
export const checkCount: Constraint = (items) => {
  if (!Array.isArray(items)) return undefined;
  const message = `must have 1 to ${MAX_ITEMS} items`;
  if (items.length === 0) return { constraint: 'minItems', limit: 1, message };
  return items.length > MAX_ITEMS
    ? { constraint: 'maxItems', limit: MAX_ITEMS, message }
    : undefined;
};

/** Returns each item in the terms of the generic graph, or the error that rejects it. */
function checkItems(
  items: readonly GivenItem[],
  formId: string,
  { verb, toGeneric }: ChangeMeaning,
): (CheckedItem | Error)[] {
  const places = new Map<string, number>();
  /**
   * Rejects a second change of one instance: items run in parallel, so their order would be random.
   */
  const takeInstance = (id: string, position: number): string => {
    const instanceId = readAt(['input', 'instanceId'], () => toInstanceId(formId, id));
    const before = places.get(instanceId);
    if (before !== undefined)
      throw new InputError(`Item ${before} is the same instance: change it once in a call.`);
    places.set(instanceId, position);
    return instanceId;
  };
  return items.map((given, position) => {
    try {
      // Reads the id first: the client may correct the values and send the call again.
      const instanceId = verb === 'create' ? undefined : takeInstance(given.instanceId, position);
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

/** Failures by which the platform rejects one item. */
const OF_ITEM: readonly UpstreamFailure[] = ['forbidden', 'not-found', 'rejected'];

/**
 * Returns the outcome of an item that failed. A failure without an effect is `NOT_SENT`, unless it
 * is specific to the item. Such failures come from the caller, the platform or the request, so they
 * apply to all items.
 */
function statusOf(error: unknown): ItemResult['status'] {
  if (isOneOf(['outcome-unknown'], error)) return 'UNKNOWN';
  const isOfItem = error instanceof InputError || isOneOf(OF_ITEM, error);
  return hasNotHappened(error) && !isOfItem ? 'NOT_SENT' : 'FAILED';
}

/**
 * Thrown instead of sending an item after `STOP`. It has no retry time, because the failed item
 * must be corrected first.
 */
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

/**
 * The call has one key for all items. With a new key for the call, done items would be done again.
 */
const CHANGED = new InputError(
  'With this idempotencyKey another item was sent at this position: send the items of that call in their order, and new changes with a key of their own.',
);

/**
 * Limits how many items are sent at the same time. The returned function resolves in call order,
 * with a function that ends the item's turn.
 */
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

/**
 * Returns a function that sends an item. It rejects every item after a failure that applies to all
 * items. With `STOP` it rejects every item after any failure.
 */
function createSend(isStopping: boolean, hasFailed: boolean) {
  const afterFailure = isStopping ? STOPPED : undefined;
  let reason: unknown = hasFailed ? afterFailure : undefined;
  return async <T>(send: () => Promise<T>): Promise<T> => {
    if (reason) throw reason;
    try {
      return await send();
    } catch (error) {
      // `cancelled` decides nothing for other items: if another replica was first, the outcome is
      // still unknown, and if the client has left, each item is cancelled anyway.
      if (!isOneOf(['cancelled'], error))
        reason ??= statusOf(error) === 'NOT_SENT' ? error : afterFailure;
      throw error;
    }
  };
}

/**
 * Returns a failed item. The error is worded as for a mutation of one instance, with paths that
 * start at the item.
 */
function toResult(
  thrown: unknown,
  fieldNames: ChangeMeaning['fieldNames'],
  ids: RequestIds,
  log: Log,
): ItemResult {
  if (thrown === STOPPED) return { status: 'NOT_SENT', error: STOPPED_ERROR };
  const isRefusal = thrown instanceof UpstreamError || thrown instanceof ConflictError;
  const named = fieldNames ? withFieldNames(thrown, fieldNames) : thrown;
  // `toClientError` reads the cause only from an error with a path.
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
      message:
        isRefusal || violations.length === 0 ? message : new ViolationError(violations).message,
      violations,
      retryable,
      retryAfterMs: waitMs === undefined ? undefined : Math.ceil(Number(waitMs)),
      current: thrown instanceof ConflictError ? thrown.record : undefined,
    },
  };
}
