import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';

import { describeError } from '../../sandbox/http/errors.ts';
import { createSandbox } from '../../sandbox/index.ts';
import { migrate } from '../../sandbox/storage/database.ts';
import { anExpense } from '../operations/instances.ts';
import { writeFolder } from '../support/folder.ts';
import { openSandbox, USERS } from './support.ts';

const EXPENSES = '/forms/expense/instances';
const THINGS = '/forms/thing/instances';
const newFile = () => join(writeFolder({}), 'deep/er/sandbox.db');

describe('a sandbox file', () => {
  it('keeps instances, deletions, cases and tokens over a restart, and contains no readable token', async () => {
    const file = newFile();
    const first = await openSandbox({ file });
    const headers = await first.signIn('demo', 'B');
    const call = await first.as();
    const created = await call('POST', EXPENSES, anExpense());
    await call('DELETE', `${EXPENSES}/1`);
    const values = { title: 'x', amount: 1 };
    const { text } = await call('POST', '/cases', { idProcess: 'purchase-approval', values });
    const execute = `/cases/${/\d{16}/.exec(text)?.[0]}/activities/9007199254740995/execute`;
    const before = await call('GET', EXPENSES);
    await first.close();

    const { send } = await openSandbox({ file });
    const read = (path: string) => send({ method: 'GET', path, headers });
    const after = await read(EXPENSES);
    const executed = await send({ method: 'PUT', path: execute, headers, body: { values: {} } });

    expect((await read(`${EXPENSES}/41`)).body).toEqual(created.body);
    expect((await read(`${EXPENSES}/1`)).status).toBe(404);
    expect(after.body).toEqual(before.body);
    expect(after.headers.get('last-modified')).toBe(before.headers.get('last-modified'));
    expect(executed.status).toBe(202);
    expect(readFileSync(file).includes(headers.authorization.replace('Bearer ', ''))).toBe(false);
  });

  it('is shared by two sandboxes without a lost or duplicate id', async () => {
    const file = newFile();
    const calls = [
      await (await openSandbox({ file })).as(),
      await (await openSandbox({ file })).as(),
    ];
    const writes = Array.from({ length: 20 }, (_, index) =>
      calls[index % 2]?.('POST', EXPENSES, anExpense()),
    );
    const ids = (await Promise.all(writes)).map((answer) => answer?.body.idInstance);
    expect(new Set(ids)).toEqual(new Set(Array.from({ length: 20 }, (_, index) => 41 + index)));
  });

  it('shows a changed definition as modified, and a new field as empty', async () => {
    const file = newFile();
    const form =
      'idForm: thing\nname: Thing\nversion: "1"\nfields:\n  - { name: a, label: A, type: text }\n';
    const definitions = writeFolder({ 'users.yaml': USERS, 'forms/x.yaml': form });
    const first = await openSandbox({ file, definitions });
    await (await first.as())('POST', THINGS, { values: { a: 'x' } });
    await first.close();

    const changed = `${form}  - { name: b, label: B, type: date, required: true }\n`;
    writeFileSync(join(definitions, 'forms/x.yaml'), changed);
    const nowMs = first.clock.nowMs + 60_000;
    const call = await (await openSandbox({ file, definitions, now: () => nowMs })).as();

    for (const path of ['/forms', '/forms/thing', THINGS, `${THINGS}/1`]) {
      const { headers } = await call('GET', path);
      expect(headers.get('last-modified')).toBe(new Date(nowMs).toUTCString());
    }
    expect((await call('GET', `${THINGS}/1`)).body.values).toEqual({ a: 'x', b: null });
    expect((await call('PATCH', `${THINGS}/1`, { values: { a: 'y' } })).status).toBe(202);
  });

  it('is migrated once with its data when an older sandbox wrote it', () => {
    const database = new DatabaseSync(':memory:');
    const first = 'CREATE TABLE cat (name TEXT)';
    migrate(database, 'sandbox.db', [first]);
    database.exec("INSERT INTO cat VALUES ('Tom')");

    const later = ['ALTER TABLE cat ADD lives INTEGER', 'UPDATE cat SET lives = 9'];
    for (let time = 0; time < 2; time++) migrate(database, 'sandbox.db', [first, ...later]);

    expect(database.prepare('SELECT * FROM cat').all()).toMatchObject([{ name: 'Tom', lives: 9 }]);
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 });
  });

  it.each([
    ['by a newer sandbox', 'PRAGMA user_version = 99', /newer sandbox: it has schema version 99/],
    ['by another application', 'CREATE TABLE cats (name TEXT)', 'database of another application'],
  ])('is rejected when it was written %s', (_by, sql, message) => {
    const file = join(writeFolder({}), 'sandbox.db');
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();

    expect(() => createSandbox({ file })).toThrow(message);
  });

  it('is rejected when it is no database', () => {
    const folder = writeFolder({ file: 'This is no database, but a text of some length.' });

    expect(() => createSandbox({ file: join(folder, 'file') })).toThrow('cannot store its data in');
  });
});

it('a full disk is named in the sandbox’s response', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE text (content TEXT); PRAGMA max_page_count = 2');
  const write = database.prepare('INSERT INTO text VALUES (?)');
  let failure: unknown;
  try {
    write.run('x'.repeat(100_000));
  } catch (error) {
    failure = error;
  }

  const { status, body } = describeError(failure);

  expect([status, body.errorCode]).toEqual([500, 'STORAGE_FULL']);
});
