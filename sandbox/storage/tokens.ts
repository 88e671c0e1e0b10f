import { hash, randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

/** The interface's two authorization variants. */
export type Variant = 'A' | 'B';

export interface TokenRecord {
  readonly username: string;
  readonly variant: Variant;
  readonly expiresAtMs: number;
}

export type Tokens = ReturnType<typeof createTokens>;

/** How long an expired token is still reported as expired, and not as invalid. */
const RETENTION_MS = 24 * 60 * 60 * 1000;

export function createTokens(database: DatabaseSync, now: () => number) {
  const insert = database.prepare('INSERT INTO token (hash, username, variant, expires_at_ms) VALUES (?, ?, ?, ?)');
  const deleteOld = database.prepare('DELETE FROM token WHERE expires_at_ms < ?');
  const select = database.prepare('SELECT username, variant, expires_at_ms FROM token WHERE hash = ?');

  return {
    /** Issues an opaque token, which is stored only as its hash. */
    issue({ username, variant, expiresAtMs }: TokenRecord): string {
      const token = randomBytes(32).toString('base64url');
      deleteOld.run(now() - RETENTION_MS);
      insert.run(hash('sha256', token), username, variant, expiresAtMs);
      return token;
    },
    /** The record of a token, even an expired one; `undefined` when it was never issued. */
    find(token: string): TokenRecord | undefined {
      const row = select.get(hash('sha256', token));
      if (row === undefined) return undefined;
      return {
        username: String(row['username']),
        variant: row['variant'] === 'A' ? 'A' : 'B',
        expiresAtMs: Number(row['expires_at_ms']),
      };
    },
  };
}
