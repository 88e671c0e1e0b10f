import { Redis } from 'ioredis';

import type { Log } from '../../telemetry/log.ts';
import { inTime } from './in-time.ts';
import { createReconnecting } from './reconnecting.ts';

/** The way to Redis or Valkey. It never keeps anybody waiting for longer than its deadline. */
export interface Link {
  /** Whether Redis answers, as far as is known. While it does not, nothing is sent. */
  isUp(): boolean;
  /**
   * Sends one command and resolves to its reply, texts as buffers.
   *
   * @throws {Error} when there was no reply in time, though it may have been carried out; when it was refused; and at once
   *   while the link is down.
   */
  send(command: string, ...args: readonly (string | number | Uint8Array)[]): Promise<unknown>;
  /** Calls back with each message of a channel that arrives while the link is up. To be said before `open`. */
  hear(channel: string, listener: (message: Buffer) => void): void;
  /** Calls back whenever the link is up anew: what was published before may have been missed. */
  onUp(listener: () => void): void;
  /** Connects, and stays connected until it is closed. Resolves when the first try has ended, however. */
  open(): Promise<void>;
  close(): void;
}

interface LinkOptions {
  /** With user and password, where there are any. */
  readonly url: string;
  /** How long one command may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly log: Log;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
}

/** A link that says nothing is looked at so often, so that it is known to be down before somebody needs it. */
const HEARTBEAT_MS = 1_000;
/** A connection on which a reply is due for so long is given up, also while it is being opened. */
const SILENCE_MS = 1_000;
/** Whoever can do this can do all that is asked later: scripts, and writing. */
const GREETING = [`return redis.call('SET', KEYS[1], '', 'PX', 1000)`, 1, 'caseway:greeting'];
/** Refusals that say that the server can do nothing now, or not for this user. */
const UNABLE = /^(BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|MOVED|NOAUTH|NOPERM|OOM|READONLY) /;
/** So many commands may be under way; more fail at once. */
const PENDING_AT_MOST = 1_024;

/** Makes the link of one process. One connection carries commands and messages, so that either shows the other's loss. */
export function createLink({ url, timeoutMs, log, now = () => performance.now() }: LinkOptions): Link {
  const channels = new Map<string, (message: Buffer) => void>();
  const listeners: (() => void)[] = [];
  const reconnecting = createReconnecting({ log, now });
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    connectTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    retryStrategy: reconnecting.delayMs,
    // Said here, so that no variable of the environment can turn it off.
    ...(url.startsWith('rediss:') && { tls: { rejectUnauthorized: true } }),
  });
  let pending = 0;
  let lateSinceMs: number | undefined;

  const giveUp = (why: unknown) => {
    reconnecting.failed(why);
    redis.disconnect(true);
  };
  const judge = (isLate: boolean) => {
    if (!isLate) lateSinceMs = undefined;
    else if (lateSinceMs === undefined) lateSinceMs = now();
    else if (now() - lateSinceMs >= 2 * timeoutMs) giveUp('TIMEOUT');
  };
  const command = async (name: string, args: readonly (string | number | Uint8Array)[]): Promise<unknown> => {
    if (pending >= PENDING_AT_MOST) throw new Error('Too many commands wait for Redis.');
    pending++;
    try {
      const reply = await inTime(redis.callBuffer(name, ...args.map(toArgument)), timeoutMs, () => judge(true));
      judge(false);
      return reply;
    } catch (error) {
      // A server that only answers that it cannot is none; the next connection may lead to another one.
      if (error instanceof Error && UNABLE.test(error.message)) giveUp(error);
      throw error;
    } finally {
      pending--;
    }
  };
  const greet = async () => {
    lateSinceMs = undefined;
    try {
      if (channels.size > 0) await redis.subscribe(...channels.keys());
      await command('EVAL', GREETING);
    } catch (error) {
      return giveUp(error);
    }
    if (redis.status !== 'ready') return;
    reconnecting.cameUp();
    for (const listener of listeners) listener();
  };

  redis.on('error', reconnecting.failed);
  redis.on('ready', greet);
  redis.on('close', reconnecting.wentDown);
  redis.on('messageBuffer', (channel: Buffer, message: Buffer) => channels.get(channel.toString())?.(message));
  const heartbeat = setInterval(() => {
    if (reconnecting.isUp()) command('PING', []).catch(() => undefined);
  }, HEARTBEAT_MS).unref();

  return {
    isUp: reconnecting.isUp,
    async send(name, ...args) {
      if (!reconnecting.isUp()) throw new Error('Redis is not there.');
      return command(name, args);
    },
    hear: (channel, listener) => void channels.set(channel, listener),
    onUp: (listener) => void listeners.push(listener),
    open() {
      redis.connect().catch(() => undefined);
      return reconnecting.decided;
    },
    close() {
      clearInterval(heartbeat);
      redis.disconnect();
      reconnecting.closed();
    },
  };
}

const toArgument = (value: string | number | Uint8Array) =>
  typeof value === 'object' ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
