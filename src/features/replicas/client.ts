import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../core/log.ts';
import type { Encryption } from './encryption.ts';

/**
 * The connection to Redis or Valkey. Commands fail after a short timeout. After a failure they fail
 * immediately for five seconds.
 */
export type RedisClient = ReturnType<typeof createRedisClient>;

/** The tools of all kinds of shared state. */
export interface SharedRedis {
  readonly client: RedisClient;
  readonly encryption: Encryption;
  /** Returns the name of a key in Redis. */
  readonly nameOf: (...parts: readonly string[]) => string;
  /** Sends an encrypted message to the other replicas. */
  readonly publish: (channel: string, content: Record<string, unknown>) => Promise<void>;
  readonly subscribe: (
    channel: string,
    listener: (content: Record<string, unknown>) => void,
  ) => void;
}

export interface RedisClientOptions {
  /** The URL, with user and password if Redis requires them. */
  readonly url: string;
  readonly log: Log;
  /** The timeout of one command, in milliseconds. */
  readonly timeoutMs?: number;
  /** How long no command is sent after a failure, in milliseconds. */
  readonly pauseMs?: number;
}

/**
 * Redis next to the gateway responds in less than a millisecond. If it takes much longer, the
 * gateway is faster without it.
 */
const COMMAND_TIMEOUT_MS = 50;
/**
 * How long no command is sent after a failure, in milliseconds. Without this pause each request
 * would wait for the timeout of a Redis that does not answer.
 */
const PAUSE_MS = 5_000;
/**
 * The connection is closed if a reply is due for this long, also while it is being opened. In
 * milliseconds.
 */
const SILENCE_MS = 1_000;
const RECONNECT_MAX_MS = 2_000;
/**
 * A key that is written to find out whether Redis accepts writes. A full or read-only server still
 * answers a PING.
 */
const PROBE_KEY = 'caseway:probe';

/** The maximum number of deliveries that are kept until Redis is available again. */
const MAX_UNSENT = 10_000;

/** Sends a delivery. When it is repeated, `restMs` is its remaining time in milliseconds. */
type Delivery = (redis: Redis, restMs: number) => Promise<unknown>;

/**
 * Creates the client of one process. One connection carries commands and messages, so that both
 * fail at the same time.
 */
export function createRedisClient(options: RedisClientOptions) {
  const { url, log, timeoutMs = COMMAND_TIMEOUT_MS, pauseMs = PAUSE_MS } = options;
  const channels = new Map<string, (message: string) => void>();
  const connectListeners: (() => void)[] = [];
  const unsent = new LRUCache<string, Delivery>({ max: MAX_UNSENT });
  const { promise: firstTry, resolve: endFirstTry } = Promise.withResolvers<void>();
  let pausedUntilMs = 0;
  let known: boolean | undefined;
  let standaloneMs = 0;
  let changedAtMs = 0;

  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    connectTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    // Random, so that replicas do not reconnect at the same time.
    retryStrategy: (tries) =>
      Math.min(50 * 2 ** tries, RECONNECT_MAX_MS) * (0.5 + 0.5 * Math.random()),
    // Set explicitly, because `NODE_TLS_REJECT_UNAUTHORIZED` could disable it.
    ...(url.startsWith('rediss:') && { tls: { rejectUnauthorized: true } }),
    // After a failover the old primary is read-only. A new connection reaches the new primary.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  });

  const readStandaloneMs = (): number =>
    known === false ? standaloneMs + performance.now() - changedAtMs : standaloneMs;
  const tell = (isAvailable: boolean, error?: unknown): void => {
    endFirstTry();
    if (isAvailable === known || redis.status === 'end') return;
    if (!isAvailable)
      log.warn({ reason: reasonOf(error) }, 'Redis unavailable; running standalone');
    else if (known === false) log.info('Redis available again; state is shared');
    standaloneMs = readStandaloneMs();
    changedAtMs = performance.now();
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
      // After a failure only a write proves that Redis is available. A full or read-only server
      // answers reads.
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
    /** Checks whether Redis accepts writes. While it does not, each replica works alone. */
    takesWrites,
    /** Returns how long this replica has run standalone since its start, in seconds. */
    standaloneSeconds: () => readStandaloneMs() / 1_000,
    /**
     * Runs a command.
     *
     * @throws {Error} if it fails or is late, although Redis may still execute it. Also throws
     *   immediately while Redis is unavailable.
     */
    run,
    /**
     * Runs a command with a timeout of a second, even right after a failure. For commands that
     * nothing waits for, or that cannot be replaced.
     *
     * @throws {Error} if it fails or is late.
     */
    insist,
    /**
     * Sends a delivery now, and again after each connect, until it succeeds or its time is over. A
     * later delivery about the same subject replaces it.
     */
    deliver,
    /** Calls back with each message of a channel. Must be called before `open`. */
    subscribe: (channel: string, listener: (message: string) => void) =>
      void channels.set(channel, listener),
    /**
     * Calls back after each connect. Messages since the last connection were missed, and sent ones
     * may be lost.
     */
    onConnect: (listener: () => void) => void connectListeners.push(listener),
    /**
     * Connects, and reconnects whenever the connection is lost. Resolves after the first attempt,
     * whether it succeeded or not.
     */
    open(): Promise<void> {
      redis.connect().catch(() => undefined);
      return firstTry;
    },
    close: () => redis.disconnect(),
  };
}

/**
 * Settles like the reply, or rejects after the timeout. A process that was busy meanwhile first
 * reads a reply that has already arrived.
 */
function inTime<T>(reply: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const failUnanswered = () =>
    setImmediate(() => reject(new Error('TIMEOUT Redis did not answer in time.')));
  const timer = setTimeout(failUnanswered, timeoutMs);
  return Promise.race([reply, late]).finally(() => clearTimeout(timer));
}

/**
 * Returns a code such as ECONNREFUSED or WRONGPASS. It never contains text from a server or a
 * person.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'closed';
  if ('code' in error && typeof error.code === 'string') return error.code;
  // The library has no error code for a silent server.
  if (/\btimeout\b/i.test(error.message)) return 'TIMEOUT';
  return /^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? error.name;
}
