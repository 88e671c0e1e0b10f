import { type Gateway, LostError, OfflineError, type Operation, RefusedError } from './gateway.ts';
import type { Store } from './store.ts';

/** A change that was made on this device and that the gateway has not confirmed. */
export interface Change extends Operation {
  /** The client's id of the change. The gateway executes it once, however many times it is sent. */
  readonly idempotencyKey: string;
  /** A description for people. */
  readonly about: string;
  /**
   * Whether the document takes a list. Then the variables are one item, and the key belongs to the
   * call.
   */
  readonly isItem?: boolean;
  /**
   * The data on the screen when the person decided: a query, its data, and the data after the
   * change. Any other data is a conflict.
   */
  readonly seen?: Operation & { readonly data: unknown; readonly dataWhenDone?: unknown };
  /**
   * When it was first sent without a response, in epoch milliseconds. Absent if it certainly had no
   * effect.
   */
  readonly sentAtMs?: number | undefined;
  /**
   * The key of its bulk call. Set when the call is first sent, so that the same call can be sent
   * again.
   */
  readonly callKey?: string | undefined;
  /** The reason why it is not sent any more, until a person decides. */
  readonly problem?: 'conflict' | 'uncertain';
}

/** The outcome of a change. */
export interface Result {
  readonly change: Change;
  readonly outcome: 'done' | 'refused' | 'waits' | 'conflict' | 'uncertain';
  /** The reason if it was not done. */
  readonly reason?: string;
}

/** The waiting changes, in the order in which they were made. */
export interface Outbox {
  readonly list: () => readonly Change[];
  add(change: Omit<Change, 'idempotencyKey'>): void;
  drop(idempotencyKey: string): void;
  /**
   * Sends the waiting changes in order, items of one document together, until a change cannot be
   * sent now.
   */
  send(): Promise<readonly Result[]>;
}

/**
 * The gateway keeps a key for at least ten minutes, or for the time in a header of its
 * responses. A minute is reserved for the transfer.
 */
const KEY_LIFETIME_MS = 600_000;
const WAY_MS = 60_000;
/** The limit of one call. */
const MAX_ITEMS = 100;
const NAME = 'outbox';
const LIFETIME = 'key-lifetime';

export function createOutbox(gateway: Gateway, store: Store, now: () => number): Outbox {
  const list = () => store.read<Change[]>(NAME) ?? [];
  const keyLifetimeMs = () => store.read<number>(LIFETIME) ?? KEY_LIFETIME_MS;
  const mutate = async (operation: Operation): Promise<unknown> => {
    try {
      return await gateway.mutate(operation);
    } finally {
      store.write(LIFETIME, gateway.keyLifetimeMs() ?? keyLifetimeMs());
    }
  };
  const drop = (key: string) =>
    store.write(
      NAME,
      list().filter(({ idempotencyKey }) => idempotencyKey !== key),
    );
  const replace = (...changed: readonly Change[]) => {
    const byKey = new Map(changed.map((change) => [change.idempotencyKey, change]));
    store.write(
      NAME,
      list().map((change) => byKey.get(change.idempotencyKey) ?? change),
    );
  };
  const setAside = (change: Change, problem: 'conflict' | 'uncertain', reason: string): Result => {
    replace({ ...change, problem });
    return { change, outcome: problem, reason };
  };
  const finish = (change: Change, outcome: 'done' | 'refused', reason?: string): Result => {
    drop(change.idempotencyKey);
    return { change, outcome, ...(reason !== undefined && { reason }) };
  };

  /**
   * Reads the data that a change depends on, before it is sent for the first time and after the
   * gateway has forgotten its key.
   */
  const look = async (change: Change): Promise<Change | Result> => {
    const { seen, sentAtMs } = change;
    // If the change was sent before, it may have changed the data itself.
    if (sentAtMs !== undefined)
      return now() - sentAtMs > keyLifetimeMs() - WAY_MS ? lookAgain(change) : change;
    return seen === undefined || (await read(seen)) === JSON.stringify(seen.data)
      ? change
      : setConflict(change);
  };
  /** Only the platform's data can show the outcome now. */
  const lookAgain = async (change: Change): Promise<Change | Result> => {
    const { seen } = change;
    if (seen?.dataWhenDone === undefined)
      return setAside(change, 'uncertain', 'its answer was lost');
    const data = await read(seen);
    if (data === JSON.stringify(seen.dataWhenDone)) return finish(change, 'done');
    if (data !== JSON.stringify(seen.data)) return setConflict(change);
    return { ...change, sentAtMs: undefined, callKey: undefined };
  };
  const read = async (query: Operation) => JSON.stringify((await gateway.query(query)).data);
  const setConflict = (change: Change) => setAside(change, 'conflict', 'it has changed meanwhile');

  const sendGroup = async (group: readonly Change[]): Promise<readonly Result[]> => {
    const results: Result[] = [];
    const changes: Change[] = [];
    for (const change of group) {
      const found = await look(change).catch((error: unknown) => settle(change, error));
      if ('outcome' in found) results.push(found);
      else changes.push(found);
    }
    const [first] = changes;
    if (first === undefined || results.some(({ outcome }) => outcome === 'waits')) return results;
    const callKey = first.callKey ?? crypto.randomUUID();
    try {
      // Stored before sending, so that a device that switches off does not take them for unsent.
      replace(
        ...changes.map((change) => ({ ...change, callKey, sentAtMs: change.sentAtMs ?? now() })),
      );
      return [...results, ...(await (first.isItem ? sendItems(changes, callKey) : sendOne(first)))];
    } catch (error) {
      return [...results, ...changes.map((change) => settle(change, error))];
    }
  };

  const sendOne = async (change: Change): Promise<readonly Result[]> => {
    const { documentId, variables, idempotencyKey } = change;
    await mutate({ documentId, variables: { ...variables, idempotencyKey } });
    return [finish(change, 'done')];
  };

  const sendItems = async (
    changes: readonly Change[],
    callKey: string,
  ): Promise<readonly Result[]> => {
    const [{ documentId = '' } = {}] = changes;
    const items = changes.map(({ variables }) => variables);
    const data = await mutate({ documentId, variables: { items, idempotencyKey: callKey } });
    const [{ results } = { results: [] }] = Object.values(
      data as Readonly<Record<string, { results: ItemResult[] }>>,
    );
    const settled = changes.map((change, index) => settleItem(change, results[index]));
    // In one write: after a part of a call is removed, its items have other positions.
    const kept = new Map(settled.map(({ change, kept }) => [change.idempotencyKey, kept]));
    const keep = (change: Change) =>
      kept.has(change.idempotencyKey) ? (kept.get(change.idempotencyKey) ?? []) : change;
    store.write(NAME, list().flatMap(keep));
    return settled.map(({ kept: _, ...result }) => result);
  };

  const settle = (change: Change, error: unknown): Result => {
    const reason = error instanceof Error ? error.message : 'unknown error';
    if (error instanceof LostError) return { change, outcome: 'waits', reason };
    if (error instanceof RefusedError && error.code === 'OUTCOME_UNKNOWN')
      return setAside(change, 'uncertain', reason);
    if (error instanceof OfflineError || (error instanceof RefusedError && isForLater(error))) {
      replace(change);
      return { change, outcome: 'waits', reason };
    }
    return finish(change, 'refused', reason);
  };

  return {
    list,
    drop,
    add: (change) =>
      store.write(NAME, [...list(), { ...change, idempotencyKey: crypto.randomUUID() }]),
    async send() {
      const results: Result[] = [];
      for (const group of groupItems(list().filter(({ problem }) => problem === undefined))) {
        const sent = await sendGroup(group);
        results.push(...sent);
        if (sent.some(({ outcome }) => outcome === 'waits')) break;
      }
      return results;
    },
  };
}

/** The gateway's result of an item. See its docs/bulk.md. */
interface ItemResult {
  readonly status: 'DONE' | 'FAILED' | 'UNKNOWN' | 'NOT_SENT';
  readonly error?: { readonly message: string } | null;
}

/** Returns the outcome of an item, and the change to keep. */
function settleItem(
  change: Change,
  { status, error }: ItemResult = { status: 'UNKNOWN' },
): Result & { readonly kept?: Change } {
  const reason = error?.message ?? 'its answer was lost';
  if (status === 'DONE') return { change, outcome: 'done' };
  if (status === 'FAILED') return { change, outcome: 'refused', reason };
  if (status === 'UNKNOWN') {
    return { change, outcome: 'uncertain', reason, kept: { ...change, problem: 'uncertain' } };
  }
  // It has no effect yet, so another call may send it.
  return {
    change,
    outcome: 'waits',
    reason,
    kept: { ...change, sentAtMs: undefined, callKey: undefined },
  };
}

/**
 * Groups consecutive items into calls. A call that is sent again gets the same items in the same
 * order.
 */
function groupItems(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    if (group && mayJoin(change, group)) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

function mayJoin(
  { isItem, documentId, callKey, variables }: Change,
  group: readonly Change[],
): boolean {
  const [first] = group;
  const isSameCall =
    isItem === true && documentId === first?.documentId && callKey === first.callKey;
  // A call contains each instance once. A second change of an instance goes into the next call.
  const isOther = group.every((one) => one.variables['instanceId'] !== variables['instanceId']);
  return isSameCall && group.length < MAX_ITEMS && (callKey !== undefined || isOther);
}

/** After signing in again the person may send it. */
const isForLater = ({ code, isRetryable }: RefusedError): boolean =>
  isRetryable || code === 'UNAUTHENTICATED';
