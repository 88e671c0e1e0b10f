import { Redis } from 'ioredis';

import type { Log } from '../../telemetry/log.ts';
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
  });
  let pending = 0;
  let lateSinceMs: number | undefined;

  const giveUp = (why: string) => {
    reconnecting.failed(why);
    redis.disconnect(true);
  };
  const judge = (isLate: boolean) => {
    if (!isLate) lateSinceMs = undefined;
    else if (lateSinceMs === undefined) lateSinceMs = now();
    else if (now() - lateSinceMs >= 2 * timeoutMs) giveUp('slow');
  };
  const command = async (name: string, args: readonly (string | number | Uint8Array)[]): Promise<unknown> => {
    if (pending >= PENDING_AT_MOST) throw new Error('Too many commands wait for Redis.');
    pending++;
    try {
      const reply = await inTime(redis.callBuffer(name, ...args.map(toArgument)), timeoutMs, () => judge(true));
      judge(false);
      return reply;
    } finally {
      pending--;
    }
  };
  const greet = async () => {
    lateSinceMs = undefined;
    try {
      if (channels.size > 0) await redis.subscribe(...channels.keys());
      await command('PING', []);
    } catch {
      return giveUp('no greeting');
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

/** Settles as the reply does, or rejects when it is late. */
async function inTime(reply: Promise<unknown>, timeoutMs: number, onLate: () => void): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  // A process that was busy for long finds the deadline passed and the reply there: it reads before it judges.
  const judge = () =>
    setImmediate(() => {
      if (isSettled) return;
      onLate();
      reject(new Error('Redis did not answer in time.'));
    });
  let isSettled = false;
  const timer = setTimeout(judge, timeoutMs);
  try {
    return await Promise.race([reply, late]);
  } finally {
    isSettled = true;
    clearTimeout(timer);
  }
}
