import { createHash, randomUUID } from 'node:crypto';
import type { CacheStore, Invalidation } from '../../cache/store.ts';
import type { EncryptionKeys } from '../../config/config.ts';
import { counter, type Facts, gauge } from '../../core/facts.ts';
import type { SharedState } from '../feature.ts';
import { createSharedBuckets } from './call-buckets.ts';
import { createRedisClient, type RedisClientOptions, type SharedRedis } from './client.ts';
import { createEncryption } from './encryption.ts';
import { createSharedEndings } from './ended-sessions.ts';
import { createSharedRuns } from './idempotency.ts';
import { createTokenRenewal } from './token-renewal.ts';

interface ReplicasOptions extends RedisClientOptions {
  /** The interface's `{base_url}`. Only replicas with the same platform share state. */
  readonly platformUrl: string;
  /** The keys that encrypt the data in Redis. */
  readonly keys: EncryptionKeys;
  /** Receives the gauge and the readiness check of Redis. */
  readonly facts: Facts;
}

/** The version of the data format in Redis. Replicas with different versions share nothing. */
const FORMAT = 3;

/** Opens the state that the replicas in front of one platform share. */
export function createReplicas({ platformUrl, keys, ...options }: ReplicasOptions) {
  const client = createRedisClient(options);
  const encryption = createEncryption(keys);
  const replica = randomUUID();
  const platform = createHash('sha256').update(platformUrl).digest('base64url').slice(0, 22);
  const nameOf = (...parts: readonly string[]) => ['caseway', FORMAT, platform, ...parts].join(':');
  const { gauges, readiness } = options.facts;
  const { takesWrites } = client;
  gauges.push(
    gauge('caseway_redis_up', 'Whether Redis is available: 1 or 0.', () =>
      takesWrites().then(Number),
    ),
    counter(
      'caseway_replicas_standalone_seconds_total',
      'Seconds without Redis since the start, in which the replica ran standalone.',
      client.standaloneSeconds,
    ),
  );
  // The gateway works without Redis, so an unavailable Redis is reported but does not make it
  // unready.
  const read = async () => ((await takesWrites()) ? 'ok' : 'unavailable');
  readiness.push({ name: 'redis', isRequired: false, read });

  const publish = async (channel: string, content: Record<string, unknown>): Promise<void> => {
    const message = await encryption.encrypt(channel, { ...content, replica });
    await client.insist((redis) => redis.publish(channel, message));
  };
  const subscribe = (channel: string, listener: (content: Record<string, unknown>) => void) =>
    client.subscribe(channel, async (message) => {
      const content = await encryption.decrypt(channel, message);
      if (content !== undefined && content['replica'] !== replica) listener(content);
    });
  const shared: SharedRedis = { client, encryption, nameOf, publish, subscribe };

  return {
    callBuckets: createSharedBuckets(shared),
    tokenRenewal: (deadlineMs) => createTokenRenewal(shared, deadlineMs),
    shareRuns: (deadlineMs, keptMs) => createSharedRuns(shared, deadlineMs, keptMs),
    sharedEndings: createSharedEndings(shared),
    shareInvalidations,
    open: client.open,
    close: client.close,
  } satisfies Required<SharedState> & { close(): void };

  function shareInvalidations(store: CacheStore): void {
    const channel = nameOf('changes');
    let hasUnsent = false;
    const send = (changed: Invalidation) =>
      publish(channel, { changed }).catch(() => {
        hasUnsent = true;
      });
    store.onChange((changed, isOwn) => {
      if (isOwn) send(changed);
    });
    subscribe(channel, ({ changed }) => store.invalidate(changed as Invalidation, false));
    client.onConnect(() => {
      // Invalidations of other replicas were missed while disconnected.
      store.invalidate('everything', false);
      if (!hasUnsent) return;
      hasUnsent = false;
      send('everything');
    });
  }
}
