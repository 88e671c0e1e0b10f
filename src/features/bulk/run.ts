import { GraphQLError } from 'graphql';

import { checkKey } from '../../cache/idempotency.ts';
import { scopeKey } from '../../cache/scope.ts';
import { InputError, UpstreamError, type UpstreamFailure } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { OperationContext, RunWrite } from '../../graphql/context.ts';
import { isUnexpected, toClientError } from '../../graphql/errors.ts';
import type { ChangeMeaning } from '../../graphql/meanings.ts';
import { toFormId, toInstanceKey } from '../../graphql/relay.ts';
import { instanceMutations } from '../../graphql/resolvers/instance.ts';
import type { Violation } from '../../graphql/violations.ts';
import type { Claim } from '../../upstream/http.ts';
import { checkInt64 } from '../../upstream/operations.ts';
import type { InstanceKey, InstanceRecord } from '../../upstream/records.ts';

export const MAX_ITEMS = 100;
/** So many of a call are under way at a time. */
const AT_A_TIME = 4;
/** When to send again what was not sent, where nobody says when, in milliseconds. */
const RETRY_AFTER_MS = 1_000;

/** The input of a bulk write; `formId` in the generic graph. */
export interface BulkInput {
  readonly formId?: string;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly onError: 'CONTINUE' | 'STOP';
  readonly idempotencyKey?: string | null;
}

/** What became of one item. What is done has the payload of the mutation of one instance. */
export interface ItemResult {
  readonly status: 'DONE' | 'FAILED' | 'UNKNOWN' | 'NOT_SENT';
  readonly payload?: object;
  readonly error?: Readonly<Record<'code' | 'message' | 'violations' | 'retryable' | 'retryAfterMs', unknown>>;
}

/** An item in generic words, with the platform's ids. */
type CheckedItem = InstanceKey & { readonly values: never; readonly status?: never };

/**
 * Makes the changes of a bulk write, a few at a time, and gives what became of each, in the order of its items.
 *
 * @throws {InputError} for too many items or none, and for a key that is none; nothing was sent then.
 */
export async function runBulk(input: BulkInput, change: ChangeMeaning, context: OperationContext, log: Log) {
  const { items, onError, idempotencyKey: key } = input;
  const isStopping = onError === 'STOP';
  if (items.length === 0 || items.length > MAX_ITEMS) {
    throw new InputError(`A bulk write takes 1 to ${MAX_ITEMS} items, and this one has ${items.length}.`);
  }
  if (key != null) checkKey(key);

  const toFailed = (error: unknown) => toResult(error, context, log);
  const checked = checkItems(input, change).map((item) => (item instanceof Error ? toFailed(item) : item));
  const sound = checked.filter((item): item is CheckedItem => item.status === undefined);
  const limit = createLimit(isStopping, isStopping && sound.length < items.length ? STOPPED : undefined);

  const run = async (item: CheckedItem, position: number, write: RunWrite): Promise<ItemResult> => {
    let created: InstanceRecord | undefined;
    let release = () => {};
    const writeOne: RunWrite = (operation, given, send) =>
      write(operation, given, async (upstream, options) => {
        // Where another replica was first, this runs again.
        release();
        release = await limit.acquire();
        const result = await limit.guard(() => send(upstream, options), options.claim);
        if (change.word !== 'create') return result;
        created = result as InstanceRecord;
        // Its ids alone are kept for a repeat, which reads the rest: a hundred large records would be too many.
        return { formId: created.formId, instanceId: created.instanceId } as typeof result;
      });
    // No key of a client's own is such a hash.
    const idempotencyKey = key == null ? undefined : scopeKey('bulk', key, String(position));
    const mutate = instanceMutations[`${change.word}Instance`];
    try {
      const payload = await mutate({}, { input: { ...item, idempotencyKey } }, { ...context, write: writeOne });
      return { status: 'DONE', payload: created ? { instance: created } : payload };
    } catch (error) {
      const { fieldNames } = change;
      return toFailed(fieldNames && error instanceof UpstreamError ? error.withFieldNames(fieldNames) : error);
    } finally {
      // Once its outcome is kept, so that a replica which dies leaves no more than these unknown.
      release();
    }
  };

  const instanceId = change.word === 'create' ? undefined : sound.map((item) => item.instanceId);
  const runAll = (write: RunWrite) =>
    Promise.all(checked.map((item, at) => (item.status === undefined ? run(item, at, write) : item)));
  const [first] = sound;
  const results = first
    ? await context.writeTogether({ formId: first.formId, instanceId }, runAll)
    : (checked as ItemResult[]);
  const codes = [...new Set(results.flatMap(({ error }) => (error ? [error.code] : [])))];
  if (codes.length > 0) log.warn({ ...context.ids, ...countResults(results), codes }, 'bulk write');
  return results;
}

/** Counts what became of the items of a bulk write. */
export function countResults(results: readonly ItemResult[]) {
  const count = (status: ItemResult['status']) => results.filter((result) => result.status === status).length;
  return { done: count('DONE'), failed: count('FAILED'), unknown: count('UNKNOWN'), notSent: count('NOT_SENT') };
}

/** Gives each item in generic words, or why it cannot be taken. */
function checkItems({ formId, items }: BulkInput, { word, toGeneric }: ChangeMeaning): (CheckedItem | Error)[] {
  const places = new Map<string, number>();
  return items.map((given, position) => {
    try {
      const generic: unknown = toGeneric({ ...given, ...(formId !== undefined && { formId }) });
      const item = generic as CheckedItem;
      if (word === 'create') return { ...item, formId: toFormId(item.formId) };
      const keyed = toInstanceKey(item);
      const before = places.get(checkInt64('instanceId', keyed.instanceId));
      // Several are under way at a time: which one came last would be chance.
      if (before !== undefined) throw new InputError(`Item ${before} is the same instance: change it once in a call.`);
      places.set(keyed.instanceId, position);
      return keyed;
    } catch (error) {
      return error as Error;
    }
  });
}

/** Failures that are of the caller, the platform or the request rather than of one item, and with which it has not acted. */
const NOT_SENT: readonly UpstreamFailure[] = [
  ...(['cancelled', 'overloaded', 'rate-limited', 'signed-out', 'stopped', 'unauthenticated', 'unclaimed'] as const),
];
/** A proxy may say so of a request that it has passed on. */
const REQUEST_TIMEOUT = 408;

function statusOf(error: unknown): ItemResult['status'] {
  if (!(error instanceof UpstreamError)) return 'FAILED';
  const { failure, status, isUnsent, operation } = error;
  if (failure === 'outcome-unknown' || status === REQUEST_TIMEOUT) return 'UNKNOWN';
  return isUnsent || operation === 'getToken' || NOT_SENT.includes(failure) ? 'NOT_SENT' : 'FAILED';
}

const advice = 'An item failed, and onError is STOP.';
const STOPPED = new UpstreamError('cancelled', { operation: 'bulk', advice, isUnsent: true });

/** Makes what lets a few items be sent at a time, in their order, and none once it has a `reason`. */
function createLimit(isStopping: boolean, reason?: UpstreamError) {
  let free = AT_A_TIME;
  const waiting: (() => void)[] = [];
  const release = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  const note = (error: unknown) => {
    // What was not sent for its own sake would keep the others from being sent as well.
    const isGeneral = error instanceof UpstreamError && statusOf(error) === 'NOT_SENT';
    if (isGeneral) reason ??= new UpstreamError(error.failure, { ...error, cause: error.cause, isUnsent: true });
    else if (isStopping) reason ??= STOPPED;
  };
  return {
    /** Resolves when the item may be sent, and gives what lets the next one be. */
    async acquire(): Promise<() => void> {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return release;
    },
    async guard<T>(send: () => Promise<T>, claim?: Claim): Promise<T> {
      try {
        if (reason) throw reason;
        return await send();
      } catch (error) {
        // Where another replica was first, what became of the item there is still to come.
        if (!claim?.isTaken()) note(error);
        throw error;
      }
    },
  };
}

/** Words a failure as a mutation of one instance does, with paths from the item on. */
function toResult(thrown: unknown, { ids }: OperationContext, log: Log): ItemResult {
  const originalError = thrown instanceof Error ? thrown : new Error(String(thrown));
  // With a path its cause is found.
  const wrapped = new GraphQLError(originalError.message, { path: ['items'], originalError });
  const error = thrown instanceof GraphQLError ? thrown : wrapped;
  if (isUnexpected(error)) log.error({ ...ids, err: thrown }, 'unexpected error');
  const { message, extensions = {} } = toClientError(error, ids);
  const given = (extensions['violations'] ?? []) as readonly Violation[];
  const violations = given.map(({ path: [, ...path], ...rest }) => ({ ...rest, path }));
  const words = violations.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
  const { code, retryable } = extensions;
  const status = statusOf(thrown);
  const waitMs = extensions['retryAfterMs'] ?? (status === 'NOT_SENT' && retryable ? RETRY_AFTER_MS : undefined);
  const retryAfterMs = waitMs === undefined ? undefined : Math.ceil(Number(waitMs));
  const isOurs = thrown instanceof GraphQLError && violations.length > 0;
  return { status, error: { code, message: isOurs ? `${words}.` : message, violations, retryable, retryAfterMs } };
}
