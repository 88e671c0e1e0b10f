import { createHash, randomUUID } from 'node:crypto';
import type { CacheStore, Change } from '../../cache/store.ts';
import type { EncryptionKeys } from '../../config/config.ts';
import { type Facts, gauge } from '../../core/facts.ts';
import type { SharedState } from '../../feature.ts';
import type { SharedPause } from '../../upstream/rate-limit.ts';
import { createSharedBuckets } from './call-buckets.ts';
import { createRedisClient, type RedisClient, type RedisClientOptions } from './client.ts';
import { createEncryption } from './encryption.ts';
import { createSharedEndings } from './ended-sessions.ts';
import { createSharedRuns } from './idempotency.ts';
import { createTokenRenewal } from './token-renewal.ts';

/** The state that the replicas in front of one platform share. */
export interface Replicas extends Required<SharedState> {
  /** Whether they share it now: while Redis is unavailable, each runs standalone. */
  isSharing(): boolean;
  close(): void;
}

interface ReplicasOptions extends RedisClientOptions {
  /** The interface's `{base_url}`: only replicas in front of the same platform share. */
  readonly platformUrl: string;
  /** They encrypt what lies in Redis. */
  readonly keys: EncryptionKeys;
  /** Where the state is reported. */
  readonly facts: Facts;
}

/** How what lies in Redis is written: replicas of another format share nothing with these. */
const FORMAT = 2;

/** Opens the state that one replica shares with the others. */
export function createReplicas({ platformUrl, keys, ...options }: ReplicasOptions): Replicas {
  const client = createRedisClient(options);
  const { redis } = client;
  const encryption = createEncryption(keys);
  const replica = randomUUID();
  const platform = createHash('sha256').update(platformUrl).digest('base64url').slice(0, 22);
  const nameOf = (...parts: readonly string[]) => ['caseway', FORMAT, platform, ...parts].join(':');
  report(options.facts, client);

  const publish = async (channel: string, content: Record<string, unknown>): Promise<void> => {
    await redis.publish(channel, await encryption.encrypt(channel, { ...content, replica }));
  };
  const subscribe = (channel: string, listener: (content: Record<string, unknown>) => void) =>
    client.subscribe(channel, async (message) => {
      const content = await encryption.decrypt(channel, message);
      if (content !== undefined && content['replica'] !== replica) listener(content);
    });

  return {
    callBuckets: createSharedBuckets(client, nameOf('bucket')),
    sharedPause: createSharedPause(),
    tokenRenewal: (owner, deadlineMs) => createTokenRenewal({ client, encryption, nameOf, replica, owner, deadlineMs }),
    shareRuns: (deadlineMs, keptMs) => createSharedRuns({ client, encryption, nameOf, deadlineMs, keptMs }),
    sharedEndings: createSharedEndings({ client, nameOf, publish, subscribe }),
    shareInvalidations,
    isSharing: client.isAvailable,
    open: client.open,
    close: client.close,
  };

  /** A pause is sent as a message, as is its end, and kept as a key that ends with it, for those who come later. */
  function createSharedPause(): SharedPause {
    const name = nameOf('pause');
    let endsAtMs = 0;
    let hasUnsentEnd = false;
    const read = async (): Promise<number> => {
      const [text, restMs] = await Promise.all([redis.get(name), redis.pttl(name)]);
      return text !== null && (await encryption.decrypt(name, text)) !== undefined ? restMs : 0;
    };
    const send = async (): Promise<void> => {
      const restMs = Math.ceil(endsAtMs - performance.now());
      if (restMs <= 0) return;
      await publish(name, { restMs });
      await redis.set(name, await encryption.encrypt(name, {}), 'PX', restMs);
    };
    const end = async (): Promise<void> => {
      await publish(name, { restMs: 0 });
      await redis.del(name);
      hasUnsentEnd = false;
    };
    return {
      publish(restMs) {
        endsAtMs = performance.now() + restMs;
        hasUnsentEnd = restMs === 0;
        (restMs > 0 ? send() : end()).catch(ignoreUntilReconnect);
      },
      subscribe(listener) {
        subscribe(name, ({ restMs }) => {
          if (restMs === 0) endsAtMs = 0;
          hasUnsentEnd = false;
          listener(Number(restMs));
        });
        client.onConnect(() => {
          // What could not be sent before is sent now, and then what others sent meanwhile is read.
          (hasUnsentEnd ? end() : send())
            .then(read)
            .then((restMs) => restMs > 0 && listener(restMs))
            .catch(ignoreUntilReconnect);
        });
      },
    };
  }

  function shareInvalidations(store: CacheStore): void {
    const channel = nameOf('changes');
    let hasUnsent = false;
    const send = (change: Change) =>
      publish(channel, { change }).catch(() => {
        hasUnsent = true;
      });
    store.onChange((change, isOwn) => {
      if (isOwn) send(change);
    });
    subscribe(channel, ({ change }) => store.apply(change as Change));
    client.onConnect(() => {
      // What others changed meanwhile was missed.
      store.apply('everything');
      if (!hasUnsent) return;
      hasUnsent = false;
      send('everything');
    });
  }
}

function report({ gauges, readiness }: Facts, { isAvailable }: RedisClient): void {
  gauges.push(gauge('caseway_redis_up', 'Whether Redis is available: 1 or 0.', () => Number(isAvailable())));
  // Each replica goes on by itself: an absent Redis is said, and is no reason to be unready.
  readiness.push({ name: 'redis', isRequired: false, read: () => (isAvailable() ? 'ok' : 'unavailable') });
}

/** The handler of a failed exchange: the next connect repeats it. */
const ignoreUntilReconnect = (): void => undefined;
