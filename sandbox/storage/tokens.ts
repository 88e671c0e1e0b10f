import { hash, randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

/** The interface's two descriptions of how calls are authorized. */
export type Variant = 'A' | 'B';

export interface TokenRecord {
  readonly username: string;
  readonly variant: Variant;
  readonly expiresAtMs: number;
}

export interface Tokens {
  /** Makes a token: opaque, and kept only as its hash. */
  issue(record: TokenRecord): string;
  /** What a token stands for, also when it has expired; `undefined` when it was never issued. */
  find(token: string): TokenRecord | undefined;
}

/** An expired token is told apart from a made-up one for this long. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

export function createTokens(database: DatabaseSync, now: () => number): Tokens {
  const insert = database.prepare('INSERT INTO token (hash, username, variant, expires_at_ms) VALUES (?, ?, ?, ?)');
  const forget = database.prepare('DELETE FROM token WHERE expires_at_ms < ?');
  const select = database.prepare('SELECT username, variant, expires_at_ms FROM token WHERE hash = ?');

  return {
    issue({ username, variant, expiresAtMs }) {
      const token = randomBytes(32).toString('base64url');
      forget.run(now() - REMEMBERED_MS);
      insert.run(hash('sha256', token), username, variant, expiresAtMs);
      return token;
    },
    find(token) {
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
