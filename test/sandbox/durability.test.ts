import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';

import { createSandbox } from '../../sandbox/index.ts';
import { migrate } from '../../sandbox/storage/database.ts';
import { anExpense } from '../operations/instances.ts';
import { writeFolder } from '../support/folder.ts';
import { USERS } from './samples.ts';
import { openSandbox } from './support.ts';

const newFile = () => join(writeFolder({}), 'deep/er/sandbox.db');

describe('a sandbox file', () => {
  it('keeps instances, deletions, cases and tokens over a restart', async () => {
    const file = newFile();
    const first = await openSandbox({ file });
    const headers = await first.signIn('demo', 'B');
    const call = await first.as();
    const created = await call('POST', '/forms/expense/instances', anExpense());
    await call('DELETE', '/forms/expense/instances/1');
    const { text } = await call('POST', '/cases', {
      idProcess: 'purchase-approval',
      values: { title: 'x', amount: 1 },
    });
    const list = await call('GET', '/forms/expense/instances');
    await first.close();

    const { send } = await openSandbox({ file });
    const read = (path: string) => send({ method: 'GET', path, headers });
    expect((await read('/forms/expense/instances/41')).body).toEqual(created.body);
    expect((await read('/forms/expense/instances/1')).status).toBe(404);
    const again = await read('/forms/expense/instances');
    expect([again.body, again.headers.get('last-modified')]).toEqual([
      list.body,
      list.headers.get('last-modified'),
    ]);
    const execute = `/cases/${/\d{16}/.exec(text)?.[0]}/activities/9007199254740995/execute`;
    expect(
      (await send({ method: 'PUT', path: execute, headers, body: { values: {} } })).status,
    ).toBe(202);
  });

  it('contains no readable token', async () => {
    const file = newFile();
    const sandbox = await openSandbox({ file });
    const { authorization } = await sandbox.signIn();
    await sandbox.close();
    expect(readFileSync(file).includes(authorization)).toBe(false);
  });

  it('is shared by two sandboxes without a lost or duplicate id', async () => {
    const file = newFile();
    const calls = [
      await (await openSandbox({ file })).as(),
      await (await openSandbox({ file })).as(),
    ];
    const writes = Array.from({ length: 20 }, (_, index) =>
      calls[index % 2]?.('POST', '/forms/expense/instances', anExpense()),
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
    await (await first.as())('POST', '/forms/thing/instances', { values: { a: 'x' } });
    await first.close();

    const changed = `${form}  - { name: b, label: B, type: date, required: true }\n`;
    writeFileSync(join(definitions, 'forms/x.yaml'), changed);
    const nowMs = first.clock.nowMs + 60_000;
    const call = await (await openSandbox({ file, definitions, now: () => nowMs })).as();

    for (const path of [
      '/forms',
      '/forms/thing',
      '/forms/thing/instances',
      '/forms/thing/instances/1',
    ]) {
      expect((await call('GET', path)).headers.get('last-modified')).toBe(
        new Date(nowMs).toUTCString(),
      );
    }
    expect((await call('GET', '/forms/thing/instances/1')).body.values).toEqual({
      a: 'x',
      b: null,
    });
    expect((await call('PATCH', '/forms/thing/instances/1', { values: { a: 'y' } })).status).toBe(
      202,
    );
  });

  it('is migrated once with its data when an older sandbox wrote it', () => {
    const database = new DatabaseSync(':memory:');
    const first = 'CREATE TABLE cat (name TEXT)';
    migrate(database, 'sandbox.db', [first]);
    database.exec("INSERT INTO cat VALUES ('Tom')");

    for (let time = 0; time < 2; time++) {
      migrate(database, 'sandbox.db', [
        first,
        'ALTER TABLE cat ADD lives INTEGER',
        'UPDATE cat SET lives = 9',
      ]);
    }

    expect(database.prepare('SELECT * FROM cat').all()).toMatchObject([{ name: 'Tom', lives: 9 }]);
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 });
  });

  it('is rejected when a newer sandbox wrote it', () => {
    const file = join(writeFolder({}), 'sandbox.db');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(() => createSandbox({ file })).toThrow(
      /written by a newer sandbox: it has schema version 99/,
    );
  });

  it('is rejected when something else wrote it', () => {
    const folder = writeFolder({
      'notes.txt': 'This is no database at all, but a text of some length.',
    });
    const other = new DatabaseSync(join(folder, 'other.db'));
    other.exec('CREATE TABLE cats (name TEXT)');
    other.close();
    expect(() => createSandbox({ file: join(folder, 'other.db') })).toThrow(
      'is a database of another application',
    );
    expect(() => createSandbox({ file: join(folder, 'notes.txt') })).toThrow(
      'cannot store its data in',
    );
  });
});
