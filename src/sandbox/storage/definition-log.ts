import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

import { formatJson, type Json } from '../json.ts';

/** Remembers when a definition last changed, so that what depends on it is "modified" then. */
export interface DefinitionLog {
  /** When `content` became what it is, in epoch milliseconds: now, unless the file holds the same already. */
  changedAtMs(kind: string, id: string, content: Json): number;
}

export function createDefinitionLog(database: DatabaseSync, now: () => number): DefinitionLog {
  const write = database.prepare(`
    INSERT INTO definition (kind, id, hash, changed_at_ms) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET hash = excluded.hash, changed_at_ms = excluded.changed_at_ms
    WHERE hash <> excluded.hash
  `);
  const read = database.prepare('SELECT changed_at_ms FROM definition WHERE kind = ? AND id = ?');

  return {
    changedAtMs(kind, id, content) {
      write.run(kind, id, hash('sha256', formatJson(content)), now());
      return Number(read.get(kind, id)?.['changed_at_ms']);
    },
  };
}
