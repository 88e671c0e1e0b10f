import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The longest wait for a statement of another process. */
const BUSY_TIMEOUT_MS = 5_000;

/** The first case is beyond 2^53, so that a client that parses ids as doubles fails at once. */
const CASE_IDS_START_AFTER = 9_007_199_254_740_992n;

const TABLES = `
  CREATE TABLE form (
    id_form TEXT PRIMARY KEY,
    next_id INTEGER NOT NULL,
    instances_changed_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE instance (
    id_form TEXT NOT NULL REFERENCES form,
    id_instance INTEGER NOT NULL,
    values_json TEXT NOT NULL,
    changed_at_ms INTEGER NOT NULL,
    PRIMARY KEY (id_form, id_instance)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE case_file (
    id_case INTEGER PRIMARY KEY AUTOINCREMENT,
    id_process TEXT NOT NULL,
    cd_activity INTEGER,
    values_json TEXT NOT NULL
  ) STRICT;
  INSERT INTO sqlite_sequence (name, seq) VALUES ('case_file', ${CASE_IDS_START_AFTER});

  CREATE TABLE token (
    hash TEXT PRIMARY KEY,
    username TEXT NOT NULL,
    variant TEXT NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE definition (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    hash TEXT NOT NULL,
    changed_at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * One statement for each version of the schema. It upgrades a file, with its data, from the version
 * before. To change the schema, add a statement at the end; never change an earlier one.
 */
const MIGRATIONS: readonly string[] = [TABLES];

/**
 * Opens the sandbox's file. Creates it, its folder and its tables if they are missing.
 *
 * @throws {Error} when the file is no sandbox's or a newer sandbox's.
 */
export function openDatabase(file: string): DatabaseSync {
  const database = openFile(file);
  try {
    // With a write-ahead log another process can read while this one writes.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    // SQLite's LIKE and lower() change the case of ASCII letters only.
    database.function('fold', { deterministic: true }, (text) =>
      typeof text === 'string' ? text.toLowerCase() : text,
    );
    inTransaction(database, () => migrate(database, file, MIGRATIONS));
    return database;
  } catch (error) {
    database.close();
    if (error instanceof SchemaError) throw error;
    throw unusable(file, error);
  }
}

function openFile(file: string): DatabaseSync {
  try {
    if (file !== ':memory:') makeFolder(dirname(file));
    return new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw unusable(file, error);
  }
}

// Folder by folder: with `recursive`, Node never returns on a file system without folders, such as
// /proc.
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

function unusable(file: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : 'unknown error';
  return new Error(
    `The sandbox cannot store its data in ${file}: ${reason}. Set SANDBOX_FILE to another file.`,
    {
      cause,
    },
  );
}

/** Runs `work` in a transaction that excludes every other process on the file. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk may have ended the transaction already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/**
 * Upgrades a file to the newest version of the schema.
 *
 * @throws {SchemaError} when a newer sandbox or another application created the file.
 */
export function migrate(database: DatabaseSync, file: string, migrations: readonly string[]): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  const newest = migrations.length;
  if (version > newest) {
    const versions = `it has schema version ${version}, this sandbox knows ${newest}`;
    throw new SchemaError(`The sandbox file ${file} was written by a newer sandbox: ${versions}`);
  }
  if (version === 0 && database.prepare('SELECT 1 FROM sqlite_master').get() !== undefined) {
    throw new SchemaError(`The file ${file} is a database of another application`);
  }
  for (const statements of migrations.slice(version)) database.exec(statements);
  if (version < newest) database.exec(`PRAGMA user_version = ${newest}`);
}
