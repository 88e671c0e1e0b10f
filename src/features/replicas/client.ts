import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../core/log.ts';
import type { Encryption } from './encryption.ts';

/** The connection to Redis or Valkey. Nobody waits for it longer than a moment, and for five seconds after a failure not at all. */
export type RedisClient = ReturnType<typeof createRedisClient>;

/** The parts that the kinds of shared state are made with. */
export interface SharedRedis {
  readonly client: RedisClient;
  readonly encryption: Encryption;
  /** Gives a key's name in Redis. */
  readonly nameOf: (...parts: readonly string[]) => string;
  /** Sends to the other replicas, encrypted. */
  readonly publish: (channel: string, content: Record<string, unknown>) => Promise<void>;
  readonly subscribe: (
    channel: string,
    listener: (content: Record<string, unknown>) => void,
  ) => void;
}

export interface RedisClientOptions {
  /** With user and password, where there are any. */
  readonly url: string;
  readonly log: Log;
  /** How long one command may take, in milliseconds. */
  readonly timeoutMs?: number;
  /** How long nothing is sent after a failure, in milliseconds. */
  readonly pauseMs?: number;
}

/** A Redis beside the gateway answers in less than a millisecond; whoever waits much longer is better off alone. */
const COMMAND_TIMEOUT_MS = 50;
const PAUSE_MS = 5_000;
/** A connection on which a reply is due for so long is given up, also while it is being opened. */
const SILENCE_MS = 1_000;
const RECONNECT_MAX_MS = 2_000;
/** Written for a second to learn whether Redis takes writes: one that is full or read-only answers a PING as well. */
const PROBE_KEY = 'caseway:probe';

/** How much that Redis did not take is kept for its return. */
const MAX_UNSENT = 10_000;

/** Is sent again with what is left of its time, in milliseconds. */
type Delivery = (redis: Redis, restMs: number) => Promise<unknown>;

/** Makes the client of one process. One connection carries commands and messages, so that the loss of one shows that of the other. */
export function createRedisClient(options: RedisClientOptions) {
  const { url, log, timeoutMs = COMMAND_TIMEOUT_MS, pauseMs = PAUSE_MS } = options;
  const channels = new Map<string, (message: string) => void>();
  const connectListeners: (() => void)[] = [];
  const unsent = new LRUCache<string, Delivery>({ max: MAX_UNSENT });
  const { promise: firstTry, resolve: endFirstTry } = Promise.withResolvers<void>();
  let pausedUntilMs = 0;
  let known: boolean | undefined;

  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    connectTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    // By chance, so that replicas do not come back together.
    retryStrategy: (tries) =>
      Math.min(50 * 2 ** tries, RECONNECT_MAX_MS) * (0.5 + 0.5 * Math.random()),
    // Said here, so that no variable of the environment can turn it off.
    ...(url.startsWith('rediss:') && { tls: { rejectUnauthorized: true } }),
    // After a failover: the next connection is to who may be written to.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  });

  const tell = (isAvailable: boolean, error?: unknown): void => {
    endFirstTry();
    if (isAvailable === known || redis.status === 'end') return;
    if (!isAvailable)
      log.warn({ reason: reasonOf(error) }, 'Redis unavailable; running standalone');
    else if (known === false) log.info('Redis available again; state is shared');
    known = isAvailable;
  };
  redis.on('error', (error) => tell(false, error));
  redis.on('close', () => tell(false));
  redis.on('message', (channel: string, message: string) => channels.get(channel)?.(message));
  redis.on('ready', async () => {
    try {
      if (channels.size > 0) await redis.subscribe(...channels.keys());
      pausedUntilMs = 0;
      for (const listener of connectListeners) listener();
      for (const [about, delivery] of [...unsent])
        deliver(about, unsent.getRemainingTTL(about), delivery);
      await takesWrites();
    } catch (error) {
      tell(false, error);
      redis.disconnect(true);
    }
  });
  const insist = <T>(command: (redis: Redis) => Promise<T>): Promise<T> =>
    inTime(command(redis), SILENCE_MS);
  const deliver = async (about: string, restMs: number, delivery: Delivery): Promise<void> => {
    if (restMs > 0) unsent.set(about, delivery, { ttl: Math.ceil(restMs) });
    try {
      await insist(() => delivery(redis, restMs));
      unsent.delete(about);
    } catch {
      // It is sent again after the next connect.
    }
  };
  const write = () => redis.set(PROBE_KEY, '', 'EX', 1);
  const run = async <T>(command: (redis: Redis) => Promise<T>): Promise<T> => {
    if (redis.status !== 'ready' || performance.now() < pausedUntilMs)
      throw new Error('Redis is unavailable.');
    try {
      // That it answers a read again would say nothing.
      if (known === false) await inTime(write(), timeoutMs);
      const reply = await inTime(command(redis), timeoutMs);
      tell(true);
      return reply;
    } catch (error) {
      pausedUntilMs = performance.now() + pauseMs;
      tell(false, error);
      throw error;
    }
  };
  const takesWrites = (): Promise<boolean> =>
    run(write).then(
      () => true,
      () => false,
    );

  return {
    /** Asks Redis whether it is available. While it is not, each replica runs standalone. */
    takesWrites,
    /** @throws {Error} when it fails or is late, though it may have been carried out; and at once while Redis is unavailable. */
    run,
    /**
     * For what nobody waits for, or cannot be done without Redis: it takes a second at most, and is tried whatever failed before.
     *
     * @throws {Error} as `run` does.
     */
    insist,
    /** Insists, now and after each connect, for so long or until it has succeeded. Of what is about the same the last is sent. */
    deliver,
    /** Calls back with each message of a channel. To be called before `open`. */
    subscribe: (channel: string, listener: (message: string) => void) =>
      void channels.set(channel, listener),
    /** Calls back after each connect: what was published since the last one was missed, and what was sent may be lost. */
    onConnect: (listener: () => void) => void connectListeners.push(listener),
    /** Connects, and again whenever the connection is lost. Resolves when the first try has ended, however. */
    open(): Promise<void> {
      redis.connect().catch(() => undefined);
      return firstTry;
    },
    close: () => redis.disconnect(),
  };
}

/** Settles as the reply does, or rejects when it is late. A process that was busy for long finds both: it reads before it judges. */
function inTime<T>(reply: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const failUnanswered = () =>
    setImmediate(() => reject(new Error('TIMEOUT Redis did not answer in time.')));
  const timer = setTimeout(failUnanswered, timeoutMs);
  return Promise.race([reply, late]).finally(() => clearTimeout(timer));
}

/** Gives a word for what went wrong, such as ECONNREFUSED or WRONGPASS; never what a server or a person wrote. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'closed';
  if ('code' in error && typeof error.code === 'string') return error.code;
  // The library has no code for a server that is silent.
  if (/\btimeout\b/i.test(error.message)) return 'TIMEOUT';
  return /^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? error.name;
}
