import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { startPlatform } from '../features/replicas/replicas.ts';
import { type Env, postGraphql } from '../support/gateway.ts';
import { build, type Layout, layOut } from './layout.ts';

const PLATFORM = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo', CALLER_AUTH: 'none' };

/** A user without a name, a home or a right on the layout's files. */
const UID = 65_534;
const SETPRIV = '/usr/bin/setpriv';
const AS_NOBODY = [`--reuid=${UID}`, `--regid=${UID}`, '--clear-groups', '--no-new-privs'];
const canRun = process.getuid?.() === 0 && existsSync(SETPRIV);

describe.skipIf(!canRun)('the files of the image, run as another user', () => {
  let built: string;
  let image: Layout;
  let withSandbox: Layout;
  beforeAll(() => {
    built = build();
    image = layOut('gateway', built);
    withSandbox = layOut('sandbox', built);
  }, 120_000);
  afterAll(() => {
    for (const folder of [built, image.root, withSandbox.root])
      rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a command like a container: as another user, with the image's environment alone. */
  function run({ workdir, env }: Layout, command: readonly string[], variables: Env) {
    const child = spawn(SETPRIV, [...AS_NOBODY, ...command], {
      cwd: workdir,
      env: { ...env, ...variables },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    const ended = once(child, 'exit');
    return {
      /** Waits until the output matches the pattern, and returns the first group. */
      async printed(pattern: RegExp): Promise<string> {
        await expect.poll(() => output).toMatch(pattern);
        return pattern.exec(output)?.[1] ?? '';
      },
      /** Stops it as an orchestrator does. Returns the exit status. */
      async stop(): Promise<unknown> {
        child.kill('SIGTERM');
        return (await ended)[0];
      },
      ended,
    };
  }

  /** Starts the image on a free port. */
  const start = (variables: Env, layout = image) =>
    run(layout, layout.start, { PORT: '0', LOG_LEVEL: 'silent', ...variables });

  async function startGateway(env: Env) {
    const { printed, stop } = start({ ...PLATFORM, ...env });
    const { port } = new URL(await printed(/(http:\/\/\S+)\/graphql/));
    return { port, url: `http://127.0.0.1:${port}`, stop };
  }

  /** Runs the image's health check once. Returns the exit status, 0 for healthy. */
  const checkHealth = async (port: string): Promise<unknown> =>
    (await run(image, image.healthcheck, { PORT: port }).ended)[0];

  it('include the code and the packages that are not in it, and nothing for development', () => {
    const needed = [
      'src/main.js',
      'schema/base.graphql',
      'playground/dist/index.html',
      'node_modules/graphql',
    ];
    const unneeded = ['vitest', 'typescript', 'fastify', 'feelin', 'yaml', 'pino-pretty'];
    const absent = unneeded.map((name) => `node_modules/${name}`);
    absent.push('test', 'src/main.ts', '.npmrc');
    const found = [...needed, ...absent].filter((path) => existsSync(join(image.workdir, path)));

    expect(found).toEqual(needed);
  });

  it('are alive while the platform is unreachable, and not ready', async () => {
    const { url, port } = await startGateway({ UPSTREAM_URL: 'http://127.0.0.1:9' });

    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect(await checkHealth(port)).toBe(0);
  });

  it('serve a platform, shut down gracefully, and then are not healthy', async () => {
    const { url: UPSTREAM_URL } = await startPlatform();
    const { url, port, stop } = await startGateway({ UPSTREAM_URL });

    const { data } = await postGraphql(url, { query: '{ forms { nodes { formId } } }' });

    expect(data.forms.nodes).toContainEqual({ formId: 'expense' });
    expect(await stop()).toBe(0);
    expect(await checkHealth(port)).toBe(1);
  });

  it('name the target with the sandbox when it is requested', async () => {
    const { printed } = start({ SANDBOX_FILE: ':memory:' });

    await printed(/feelin and yaml are not installed.*target "sandbox"/);
  });

  it('serve the sandbox alone, from the target of that name', async () => {
    const { printed } = start({}, withSandbox);
    const url = await printed(/REST interface at (http:\S+)\/v1\.0/);

    expect((await fetch(`${url}/v1.0/forms`)).status).toBe(401);
  });
});
