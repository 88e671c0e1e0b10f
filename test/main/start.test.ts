import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

import { postGraphql } from '../support/gateway.ts';
import { runMain } from '../support/run.ts';

const ROOT = join(import.meta.dirname, '../..');
const ANY_PORT = { PORT: '0', SANDBOX_FILE: ':memory:' };
const CREATE =
  'mutation { createInstance(input: { formId: "employee", values: { name: "Ada", email: "ada@example.com", department: "finance", active: true } }) { instance { instanceId } } }';

const execute = (url: string, query: string) => postGraphql(url, JSON.stringify({ query }));

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
    const folder = mkdtempSync(join(tmpdir(), 'caseway-start-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const env = { ...ANY_PORT, SANDBOX_FILE: join(folder, 'sandbox.sqlite') };
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
    const child = spawn('npm', ['start'], { cwd: ROOT, env: { PATH: process.env['PATH'], ...ANY_PORT } });
    let stdout = '';
    const url = await new Promise<string>((resolve) => {
      child.stdout.on('data', (chunk) => {
        stdout += chunk;
        const [, found] = /GraphQL at (http:\S+)\/graphql/.exec(stdout) ?? [];
        if (found) resolve(found);
      });
    });

    child.kill('SIGTERM');
    await once(child, 'close');

    await expect(fetch(`${url}/livez`)).rejects.toThrow();
  });

  it.each([
    ['the path is a folder', import.meta.dirname],
    ['the folder cannot be created', '/proc/caseway/data/sandbox.sqlite'],
  ])('explains why the sandbox cannot store its data: %s', async (_why, file) => {
    const { code, stderr } = await runMain([], { ...ANY_PORT, SANDBOX_FILE: file }).ended;

    expect(stderr).toMatch(/cannot store its data in .*Set SANDBOX_FILE/);
    expect(code).toBe(1);
  });

  it('names a port that is in use, and exits with 1', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    const port = await new Promise<number>((resolve) => {
      server.once('listening', () => resolve((server.address() as { port: number }).port));
    });

    const { code, stderr } = await runMain([], { ...ANY_PORT, PORT: String(port) }).ended;

    expect(stderr).toContain(`Port ${port} is taken`);
    expect(code).toBe(1);
  });
});

describe('npm start in production', () => {
  it('serves no playground and hides the schema', async () => {
    const run = runMain([], { ...ANY_PORT, NODE_ENV: 'production' });
    const url = await run.printed(/GraphQL at (http:\S+)\/graphql/);

    const { data } = await execute(url, '{ __schema { types { name } } }');

    expect(data.__schema.types).not.toContainEqual({ name: 'Form' });
    expect((await fetch(`${url}/playground`)).status).toBe(404);
    expect((await run.printed(/"msg":"(SANDBOX_FILE is set[^"]*)"/)).length).toBeGreaterThan(0);
  });

  it('exits with 2 without a platform, and names both remedies', async () => {
    const { code, stderr } = await runMain([], { NODE_ENV: 'production' }).ended;

    expect(stderr).toMatch(/UPSTREAM_URL.*SANDBOX_FILE/);
    expect(code).toBe(2);
  });
});

it('npm start says why the platform issues no token, and what to check', async () => {
  const run = runMain([], {
    ...{ PORT: '0', UPSTREAM_URL: 'http://127.0.0.1:9', UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'canary' },
  });
  const message = await run.printed(/"msg":"(the platform issues no token[^"]*)"/);
  run.stop();
  const { stdout, stderr } = await run.ended;

  expect(message).toMatch(/refuses the connection \(ECONNREFUSED\); check .*port/);
  expect(stdout + stderr).not.toContain('canary');
});

describe('a Node version that is too old', () => {
  const PRETENDED = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })';

  it('is reported in one sentence with the remedy', () => {
    const args = ['--import', `data:text/javascript,${PRETENDED}`, join(ROOT, 'caseway.mjs')];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });

    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^Caseway needs Node 24 or later, .*npm ci.*\n$/);
  });
});
