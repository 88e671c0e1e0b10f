import { randomBytes } from 'node:crypto';

/** Returns a new key for `SESSION_KEYS`. */
export const storeKey = (): string => randomBytes(32).toString('base64url');

/** Reads the readiness of a gateway. */
export async function readiness(url: string) {
  const answer = await fetch(`${url}/readyz`);
  const { checks } = (await answer.json()) as { readonly checks: Readonly<Record<string, string>> };
  return { status: answer.status, redis: checks['redis'] };
}
