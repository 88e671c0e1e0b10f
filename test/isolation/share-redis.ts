import { startRedis } from '../support/redis.ts';

/** Settings of a process that shares a Redis, and keeps next to nothing in its own memory. */
export async function shareRedis(): Promise<Readonly<Record<string, string>>> {
  const { url } = await startRedis();
  const SESSION_KEYS = Buffer.alloc(32, 9).toString('base64url');
  return { REDIS_URL: url, SESSION_KEYS, CACHE_MAX_BYTES: '1024' };
}
