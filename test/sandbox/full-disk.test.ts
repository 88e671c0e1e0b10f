import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';

import { describeError } from '../../sandbox/http/errors.ts';

/** Returns the error of a full database. */
function writeWithoutRoom(): unknown {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE text (content TEXT); PRAGMA max_page_count = 2');
  try {
    database.prepare('INSERT INTO text VALUES (?)').run('x'.repeat(100_000));
  } catch (error) {
    return error;
  }
  return undefined;
}

it('a full disk is named in the sandbox’s response', () => {
  const { status, body } = describeError(writeWithoutRoom());

  expect([status, body.errorCode]).toEqual([500, 'STORAGE_FULL']);
});
