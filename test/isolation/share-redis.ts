import { startRedis } from '../support/redis.ts';

/** Settings of processes that share a Redis. */
export async function shareRedis(): Promise<Readonly<Record<string, string>>> {
  const { url } = await startRedis();
  const SESSION_KEYS = Buffer.alloc(32, 9).toString('base64url');
  return { REDIS_URL: url, SESSION_KEYS };
}
