import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';

import { ConfigError } from '../../src/config/load.ts';
import { listenAt } from '../../src/http/listen.ts';
import { writeFolder } from '../support/folder.ts';
import { postGraphql } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';
import { runCommand, runMain } from '../support/run.ts';

const ROOT = join(import.meta.dirname, '../..');
const ANY_PORT = { PORT: '0', SANDBOX_FILE: ':memory:' };
const PLATFORM = {
  UPSTREAM_URL: 'http://127.0.0.1:9',
  UPSTREAM_USERNAME: 'demo',
  UPSTREAM_PASSWORD: 'canary',
};
const CREATE =
  'mutation { createInstance(input: { formId: "employee", values: { name: "Ada", email: "ada@example.com", department: "finance", active: true } }) { instance { instanceId } } }';

const execute = (url: string, query: string) => postGraphql(url, { query });

describe('npm start without settings', () => {
  it('serves queries, prints its addresses, and exits with 0 when stopped', async () => {
    const run = runMain([], ANY_PORT);
    const url = await run.printed(/GraphQL at (http:\S+)\/graphql/);

    const { data } = await execute(url, '{ forms { totalCount } }');
    run.stop();
    const { code, stdout } = await run.ended;

    expect(data).toEqual({ forms: { totalCount: 4 } });
    expect(stdout).toMatch(/playground +http.*schema +http.*health +http.*sandbox +http/s);
    expect(code).toBe(0);
  });

  it('keeps its data over a restart', async () => {
    const env = { ...ANY_PORT, SANDBOX_FILE: join(writeFolder({}), 'sandbox.sqlite') };
    const first = runMain([], env);
    const created = await execute(await first.printed(/GraphQL at (http:\S+)\/graphql/), CREATE);
    first.stop('SIGINT');
    await first.ended;

    const second = runMain([], env);
    const { instanceId } = created.data.createInstance.instance;
    const query = `{ instance(formId: "employee", instanceId: "${instanceId}") { value(field: "name") } }`;
    const found = await execute(await second.printed(/GraphQL at (http:\S+)\/graphql/), query);

    expect(found.data).toEqual({ instance: { value: 'Ada' } });
  });

  it('exits when npm itself is stopped, and frees its port', async () => {
    const child = spawn('npm', ['start'], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], ...ANY_PORT },
    });
    let url: string | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      url = /GraphQL at (http:\S+)\/graphql/.exec(line)?.[1];
      if (url !== undefined) break;
    }
    child.stdout.resume();

    child.kill('SIGTERM');
    await once(child, 'close');

    await expect(fetch(`${url}/livez`)).rejects.toThrow();
  });

  it.each([
    ['the path is a folder', import.meta.dirname],
    ['the path leads through a file', join(import.meta.filename, 'sandbox.sqlite')],
    ['the file is no database', import.meta.filename],
    ['the folder cannot be created', '/proc/caseway/data/sandbox.sqlite'],
  ])('explains why the sandbox cannot store its data: %s', async (_why, file) => {
    const env = { ...ANY_PORT, SANDBOX_FILE: file };

    const ended = [await runCommand([], env), await runCommand(['sandbox'], env)];

    const stderr = expect.stringMatching(/cannot store its data in .*Set SANDBOX_FILE/);
    expect(ended).toEqual([
      { code: 2, stdout: '', stderr },
      { code: 2, stdout: '', stderr },
    ]);
  });

  it('names a port that is in use, and exits with 1', async () => {
    const { port } = new URL(await listen(createServer()));

    const { code, stderr } = await runCommand([], { ...PLATFORM, PORT: port });

    expect(stderr).toMatch(new RegExp(`^Port ${port} is taken by another program; set PORT to `));
    expect(code).toBe(1);
  });

  it('names METRICS_PORT if that is in use', async () => {
    const { port } = new URL(await listen(createServer()));

    const { code, stderr } = await runCommand([], { ...ANY_PORT, METRICS_PORT: port });

    expect(stderr).toContain(`Port ${port} is taken by another program; set METRICS_PORT to `);
    expect(code).toBe(1);
  });

  it.each([
    ['192.0.2.1', 'of another machine', 1],
    ['a b', 'that no machine can have', 2],
  ])('names the HOST %s, %s, and exits with %i', async (HOST, _what, exitCode) => {
    const { code, stderr } = await runCommand([], { ...ANY_PORT, HOST });

    expect(stderr).toContain(`HOST: ${HOST} is no address of this machine; set one, or `);
    expect(code).toBe(exitCode);
  });

  it.each([
    ['EISDIR', 'a folder', (file: string) => mkdirSync(file)],
    ['EIO', 'unreadable', (file: string) => symlinkSync('/proc/self/mem', file)],
  ])('exits with 2 and %s in one line if .env is %s', async (reason, _what, make) => {
    const folder = writeFolder({});
    make(join(folder, '.env'));

    const { code, stdout, stderr } = await runMain([], ANY_PORT, folder).ended;

    expect(stderr).toBe(
      `Cannot read ${folder}/.env: ${reason}. Make it a file that this user can read, or remove it.\n`,
    );
    expect([code, stdout]).toEqual([2, '']);
  });
});

it('a port that the system reserves is reported with its setting', async () => {
  const failure = Object.assign(new Error('listen EACCES'), { code: 'EACCES', port: 80 });

  const listening = listenAt('PORT', '0.0.0.0', () => Promise.reject(failure));

  await expect(listening).rejects.toThrow(ConfigError);
  await expect(listening).rejects.toThrow(
    'PORT: this user may not listen on port 80; set one from',
  );
});

it('a production start prints JSON lines alone, with its warnings and addresses, and hides the schema', async () => {
  const env = { NODE_ENV: 'production', LOG_LEVEL: 'info', METRICS_PORT: '0', ROLE: 'x' };
  const run = runMain([], { ...ANY_PORT, ...env });
  const { url, metrics, sandbox } = await run.addresses();
  const { data } = await execute(url, '{ __schema { types { name } } }');
  const { status } = await fetch(`${url}/playground`);
  run.stop();
  const { stdout, stderr } = await run.ended;
  const read = (lines: string) =>
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  expect(data.__schema.types).not.toContainEqual({ name: 'Form' });
  expect(status).toBe(404);
  expect(read(stdout)).toContainEqual({
    level: 30,
    time: expect.any(String),
    ...{ url, metrics, sandbox },
    msg: `Caseway serves GraphQL at ${url}/graphql`,
  });
  expect([metrics, sandbox]).toEqual([
    expect.stringMatching(/^http:\/\/\S+\/metrics$/),
    expect.stringMatching(/^http:\/\/[\w.]+:\d+$/),
  ]);
  expect(stdout).toMatch(/"msg":"SANDBOX_FILE is set/);
  expect(stdout.match(/ROLES is not set/g)).toHaveLength(1);
  expect(read(stderr)).toMatchObject([{ level: 40, msg: expect.stringMatching(/ROLE\b/) }]);
});

it('a production start prints its addresses with LOG_LEVEL=silent, without those of a platform', async () => {
  const env = { NODE_ENV: 'production', LOG_LEVEL: 'silent', CALLER_AUTH: 'none', PORT: '0' };
  const run = runMain([], { ...env, ...PLATFORM });
  const { url } = await run.addresses();
  run.stop('SIGKILL');
  const { stdout } = await run.ended;

  expect(Object.keys(JSON.parse(stdout))).toEqual(['level', 'time', 'url', 'msg']);
  expect((JSON.parse(stdout) as { readonly url: string }).url).toBe(url);
});

it('npm start reports why the platform issues no token, and the settings to check', async () => {
  const run = runMain([], { PORT: '0', ...PLATFORM });
  const message = await run.printed(/"msg":"(the platform issues no token[^"]*)"/);
  run.stop();
  const { stdout, stderr } = await run.ended;

  expect(message).toMatch(/refuses the connection \(ECONNREFUSED\); check .*port/);
  expect(stdout + stderr).not.toContain('canary');
});

it('a Node version that is too old is reported in one sentence with the remedy', () => {
  const pretended =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })';
  const args = ['--import', `data:text/javascript,${pretended}`, join(ROOT, 'caseway.mjs')];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });

  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^Caseway needs Node 24 or later, .*npm ci.*\n$/);
});
