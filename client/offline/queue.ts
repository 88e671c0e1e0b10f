import { retryAfterMs } from '../errors.ts';
import { createKey } from '../idempotency.ts';
import { backoffMs, KEY_LIFETIME_MS } from '../retry.ts';
import type {
  NewChange,
  OfflineCall,
  OfflineStorage,
  QueuedChange,
  SentChange,
  Variables,
} from './change.ts';
import { again, type Settled, setAside, settleData, settleError, wait } from './settle.ts';
import { createTurns } from './storage.ts';

export interface FlushResult {
  readonly changes: readonly SentChange[];
  /** The time to wait before the next flush, in milliseconds. `undefined` if no change waits. */
  readonly retryAfterMs: number | undefined;
}

export interface OfflineQueueOptions {
  readonly storage: OfflineStorage;
  /**
   * Sends a mutation and returns its data. The document must declare `$idempotencyKey` and pass it
   * to its only field. It must end within a minute, with its repeats: the gateway may have
   * forgotten the key of a request that arrives later.
   *
   * @throws the error of the request, or of the response.
   */
  readonly send: (operation: string, variables: Variables) => Promise<unknown>;
  /**
   * Returns whether requests can be sent. A change that cannot be sent must not start the lifetime
   * of its key.
   * @default () => navigator.onLine !== false
   */
  readonly isOnline?: () => boolean;
  /**
   * Returns whether a request with this error has not left the device. Browsers do not report it.
   * @default () => false
   */
  readonly isUnsent?: (error: unknown) => boolean;
  /**
   * Reads the record of a change whose key has expired, and returns whether the change was made. If
   * it was not, the change is sent with a new key. With `undefined` it is set aside.
   */
  readonly wasMade?: (change: QueuedChange) => Promise<boolean | undefined>;
  /**
   * Returns how long a key may be used, in milliseconds: less than the response header
   * `caseway-idempotency-keep`.
   * @default () => 540_000
   */
  readonly keyLifetimeMs?: () => number;
  /** @default 1_000 */
  readonly maxChanges?: number;
  /** @default 10 */
  readonly maxAttempts?: number;
}

/** A queue of changes that survives restarts. */
export interface OfflineQueue {
  /** Returns all changes in their order, also those set aside. */
  list(): Promise<readonly QueuedChange[]>;
  /**
   * Stores a change.
   *
   * @throws {RangeError} if the queue has `maxChanges`.
   */
  add(change: NewChange): Promise<QueuedChange>;
  /** Sends the changes in their order, until one has to wait. */
  flush(): Promise<FlushResult>;
  /**
   * Returns a change that is set aside to the queue, with other variables if they are passed. After
   * `unknown` a person must have read the record.
   */
  retry(id: string, variables?: Variables): Promise<void>;
  /** Removes changes, such as all of them when a person signs out. */
  remove(...ids: readonly string[]): Promise<void>;
}

/** The gateway's limit of a bulk write. */
const MAX_ITEMS = 100;

/**
 * Creates a queue of changes. A change is stored with its idempotency key before it is sent, and
 * repeated only with this key while its outcome is unknown.
 *
 * @example
 * const queue = createOfflineQueue({
 *   storage: createIndexedDbStorage('changes of me'),
 *   send: (operation, variables) => request(DOCUMENTS[operation], variables),
 * });
 * await queue.add({ operation: 'Approve', variables: { instanceId, expected }, record: instanceId });
 * const { retryAfterMs } = await queue.flush();
 */
export function createOfflineQueue(options: OfflineQueueOptions): OfflineQueue {
  const {
    storage,
    send,
    isOnline = () => (navigator as { readonly onLine?: boolean }).onLine !== false,
    isUnsent = () => false,
    wasMade,
    keyLifetimeMs = () => KEY_LIFETIME_MS,
    maxChanges = 1_000,
    maxAttempts = 10,
  } = options;
  const takeTurn = createTurns();
  const takeFlushTurn = createTurns();
  let failedFlushes = 0;
  let nextFlush: Promise<FlushResult> | undefined;

  const list = async () =>
    [...(await storage.read())].sort((one, other) => one.position - other.position);

  async function flushAll(): Promise<FlushResult> {
    const changes: SentChange[] = [];
    for (;;) {
      const group = nextCall(await list());
      const [first] = group;
      if (!first) {
        failedFlushes = 0;
        return { changes, retryAfterMs: undefined };
      }
      const settled = await sendCall(first, group);
      await store(settled);
      const sent = settled.flatMap(({ change, kept = change, outcome, ...result }) =>
        outcome === 'again' ? [] : { ...result, change: kept, outcome },
      );
      changes.push(...sent);
      const waiting = sent.filter(({ outcome }) => outcome === 'waiting');
      if (waiting.length > 0) {
        failedFlushes += 1;
        const namedMs = retryAfterMs(waiting.map(({ error }) => error));
        return { changes, retryAfterMs: Math.max(namedMs, backoffMs(failedFlushes)) };
      }
    }
  }

  /** Sends one change, or items of a bulk write, and settles them. */
  async function sendCall(
    first: QueuedChange,
    group: readonly QueuedChange[],
  ): Promise<readonly Settled[]> {
    if (!isOnline()) return group.map((change) => wait(change));
    const { call = createCall(group.length) } = first;
    const ageMs = Date.now() - call.sentAtMs;
    // The gateway may have forgotten the key.
    if (ageMs > keyLifetimeMs()) return Promise.all(group.map(settleExpired));
    // The clock was set back, or an item was removed. The call may be running.
    if (ageMs < 0 || call.size !== group.length)
      return group.map((change) => setAside(change, 'unknown'));

    return sendWithKey(first, group, call);
  }

  async function sendWithKey(
    first: QueuedChange,
    group: readonly QueuedChange[],
    call: OfflineCall,
  ): Promise<readonly Settled[]> {
    // Stored before it is sent, so that a device that is switched off does not take it for unsent.
    const isStored = await store(group.map((change) => again({ ...change, call })));
    if (!isStored) return group.map(again);

    const items = group.map(({ variables }) => variables);
    const variables = first.isItem ? { items } : first.variables;
    try {
      const { idempotencyKey } = call;
      const data = await send(first.operation, { ...variables, idempotencyKey });
      return settleData(group, data, maxAttempts);
    } catch (error) {
      const sentCall = isUnsent(error) ? first.call : call;
      return group.map((change) => settleError(change, sentCall, error, maxAttempts));
    }
  }

  /** Settles a change whose key has expired. */
  async function settleExpired(change: QueuedChange): Promise<Settled> {
    try {
      const isMade = await wasMade?.(change);
      if (isMade === undefined) return setAside(change, 'unknown');
      if (isMade) return { change, outcome: 'done' };
      return again({ ...change, call: undefined });
    } catch (error) {
      return wait(change, error);
    }
  }

  /** Stores changes unless they were removed meanwhile. Returns whether all are stored. */
  const store = (settled: readonly Settled[]): Promise<boolean> =>
    takeTurn(async () => {
      const all = await list();
      const stored = settled.filter(({ change }) => all.some(({ id }) => id === change.id));
      await storage.save(
        stored.flatMap(({ kept }) => kept ?? []),
        stored.flatMap(({ kept, change }) => (kept ? [] : change.id)),
      );
      return stored.length === settled.length;
    });

  return {
    list,
    add: (change) =>
      takeTurn(async () => {
        const all = await list();
        if (all.length >= maxChanges) throw new RangeError('The queue is full.');
        const position = (all.at(-1)?.position ?? 0) + 1;
        const queued = { ...change, id: createKey(), position, attempts: 0 };
        await storage.save([queued], []);
        return queued;
      }),
    flush() {
      // A flush that is running may not see the last change, so another one follows it.
      const start = () => {
        nextFlush = undefined;
        return flushAll();
      };
      nextFlush ??= storage.exclusive?.(start) ?? takeFlushTurn(start);
      return nextFlush;
    },
    retry: (id, variables) =>
      takeTurn(async () => {
        const change = (await list()).find((one) => one.id === id);
        if (!change?.problem) return;
        const { variables: sent } = change;
        const retried = {
          ...change,
          variables: variables ?? sent,
          attempts: 0,
          problem: undefined,
        };
        await storage.save([retried], []);
      }),
    remove: (...ids) => takeTurn(() => storage.save([], ids)),
  };
}

/**
 * Returns the changes of the next call: one change, or consecutive items of a bulk write. A repeated
 * call has the same items in the same order.
 */
function nextCall(changes: readonly QueuedChange[]): readonly QueuedChange[] {
  const group: QueuedChange[] = [];
  const blockedRecords = new Set<string>();
  for (const change of changes) {
    const record = recordOf(change);
    if (change.problem || blockedRecords.has(record)) blockedRecords.add(record);
    else if (mayJoin(change, group)) group.push(change);
    // A repeated call has all its items, also those behind a change that has just been returned.
    else if (!group[0]?.call) break;
  }
  return group;
}

function mayJoin(change: QueuedChange, group: readonly QueuedChange[]): boolean {
  return group.every(
    (other) =>
      group.length < MAX_ITEMS &&
      callNameOf(change) === callNameOf(other) &&
      recordOf(change) !== recordOf(other),
  );
}

const recordOf = ({ id, record = id }: QueuedChange): string => record;

/** Returns a name that the items of a call have in common. */
const callNameOf = ({ id, isItem, isAlone, operation, call }: QueuedChange): string =>
  isItem && !isAlone ? `${operation} ${call?.idempotencyKey}` : id;

const createCall = (size: number): OfflineCall => ({
  idempotencyKey: createKey(),
  size,
  sentAtMs: Date.now(),
});
