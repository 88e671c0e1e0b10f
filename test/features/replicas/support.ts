import { randomBytes } from 'node:crypto';
import { vi } from 'vitest';

/** A key for what lies in Redis, as the setting has it. */
export const storeKey = (): string => randomBytes(32).toString('base64url');

/** Reads the readiness of a gateway. */
export async function readiness(url: string) {
  const answer = await fetch(`${url}/readyz`);
  const { checks } = (await answer.json()) as { readonly checks: Readonly<Record<string, string>> };
  return { status: answer.status, redis: checks['redis'] };
}

/** Waits until a check holds, for as long as a busy machine may take. */
export const eventually = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 30_000, interval: 20 });
