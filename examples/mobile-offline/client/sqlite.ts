import { DatabaseSync } from 'node:sqlite';
import type { OfflineStorage } from 'caseway/client/offline';

/** Creates a storage of a queue in a file of SQLite. */
export function createSqliteStorage(file: string): OfflineStorage {
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE IF NOT EXISTS changes (id TEXT PRIMARY KEY, json TEXT NOT NULL)');
  const all = database.prepare('SELECT json FROM changes');
  const put = database.prepare('INSERT OR REPLACE INTO changes VALUES (?, ?)');
  const remove = database.prepare('DELETE FROM changes WHERE id = ?');
  return {
    read: async () => all.all().map(({ json }) => JSON.parse(String(json))),
    async save(changed, removedIds) {
      database.exec('BEGIN');
      try {
        for (const change of changed) put.run(change.id, JSON.stringify(change));
        for (const id of removedIds) remove.run(id);
        database.exec('COMMIT');
      } finally {
        // SQLite ends some failed transactions itself.
        if (database.isTransaction) database.exec('ROLLBACK');
      }
    },
  };
}
