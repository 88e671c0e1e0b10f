import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';

import { executeAs } from '../identity/support.ts';
import { keyEntries, READ, replaceFile, writeFiles } from '../reload/support.ts';
import { startChainPlatform } from '../support/chain-platform.ts';
import { writeFolder } from '../support/folder.ts';
import { COMPILED, MAIN, runMain } from '../support/run.ts';

/** Runs a command at a terminal of its own, which closes when it is killed. */
const SCRIPT = '/usr/bin/script';
const ENV = { PORT: '0', SANDBOX_FILE: ':memory:', SHELL: '/bin/sh' };
/** What is held has a minute, however busy the machine is. */
const PATIENT = { UPSTREAM_TIMEOUT_MS: '60000' };
const SETTINGS = { CALLER_AUTH: 'none', TYPED_FORMS: 'none', ...PATIENT };
const LISTENING = /GraphQL at (\S+)/;

const read = (url: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ query: '{ form(formId: "link") { name } }' }),
  });

/** Starts the gateway at a terminal, and gives what closes it, and how the gateway ended. */
async function startAtTerminal(env: Readonly<Record<string, string>>) {
  // One shell goes with the terminal, as a person's does; the other outlives it, to keep how the gateway ended.
  const cwd = writeFolder({ run: `trap : HUP\n'${process.execPath}' '${MAIN}'\necho $? > code` });
  const child = spawn(SCRIPT, ['-qfec', 'sh run; exit', '/dev/null'], {
    env: { ...COMPILED, ...ENV, ...env },
    cwd,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const code = join(cwd, 'code');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = LISTENING.exec(stripVTControlCharacters(line))?.[1];
    if (url === undefined) continue;
    return {
      url,
      close: () => child.kill('SIGKILL'),
      code: () => (existsSync(code) ? readFileSync(code, 'utf8').trim() : undefined),
    };
  }
  throw new Error('The gateway ended before it listened.');
}

const statusAt = async (url: string, key: string) => (await executeAs(url, READ, { 'x-api-key': key })).status;

describe('SIGHUP', () => {
  it.skipIf(!existsSync(SCRIPT))('of a terminal that closes stops the gateway as SIGTERM does', async () => {
    const platform = await startChainPlatform();
    const { url, close, code } = await startAtTerminal({ ...platform.env, ...SETTINGS });
    const called = platform.next();
    const answer = read(url);
    const call = await called;

    close();
    await expect
      .poll(() =>
        fetch(new URL('/livez', url), { headers: { connection: 'close' } }).then(
          ({ status }) => status,
          () => 'refused',
        ),
      )
      .toBe('refused');
    call.answer();

    expect(await (await answer).json()).toEqual({ data: { form: { name: 'Link' } } });
    await expect.poll(code).toBe('0');
  });

  it('does not end a gateway without a terminal', async () => {
    const run = runMain([], { ...ENV, LOG_LEVEL: 'silent' });
    const url = await run.printed(LISTENING);

    run.stop('SIGHUP');
    const { status } = await read(url);
    run.stop('SIGHUP');
    run.stop('SIGTERM');

    expect(status).toBe(200);
    expect((await run.ended).code).toBe(0);
  });

  it('reads its files again at each SIGHUP, also one that comes while it does', async () => {
    const { at, env } = writeFiles();
    const run = runMain([], { ...env, PORT: '0', SANDBOX_FILE: ':memory:', TYPED_FORMS: 'none' });
    const url = await run.printed(/at (http:\S+)\/graphql/);

    for (const key of ['first', 'second', 'third']) {
      replaceFile(at('keys'), keyEntries('web', key));
      for (let times = 0; times < 3; times++) run.stop('SIGHUP');
      await expect.poll(() => statusAt(url, key)).toBe(200);
    }
    run.stop('SIGTERM');

    expect((await run.ended).code).toBe(0);
  });
});
