import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

import { post, startNginx } from '../deploy/proxies.ts';
import { readDeployFile, runProgram } from '../deploy/support.ts';
import { readiness, storeKey } from '../features/replicas/support.ts';
import { writeFolder } from '../support/folder.ts';
import { type Env, postGraphql } from '../support/gateway.ts';
import { freePort, startRedis } from '../support/redis.ts';
import { engine, startContainer } from './containers.ts';

const GATEWAY = 'localhost/caseway-checked';
const SANDBOX = 'localhost/caseway-sandbox-checked';
const MEGABYTE = 1_000_000;
const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const [, QUERY = '', ANSWER = ''] =
  /```graphql\n([\s\S]*?)```\s*```json\n([\s\S]*?)```/.exec(README) ?? [];

/** The platform of the other target. */
async function startSandbox(): Promise<string> {
  const port = await freePort();
  const { printed } = startContainer(SANDBOX, { PORT: String(port - 1) });
  await printed(/REST interface at (http:\S+)\/v1\.0/);
  return `http://127.0.0.1:${port}`;
}

async function startGateway(platform: string, env: Env = {}) {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const container = startContainer(GATEWAY, {
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    UPSTREAM_URL: platform,
    UPSTREAM_USERNAME: 'demo',
    UPSTREAM_PASSWORD: 'demo',
    CALLER_AUTH: 'none',
    TYPED_FORMS: '*',
    LOG_LEVEL: 'silent',
    ...env,
  });
  await container.printed(/GraphQL at http/);
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(async () => (await readiness(url)).status).toBe(200);
  return { ...container, url };
}

const execute = (url: string, query: string) => postGraphql(url, { query });

describe('the built image', () => {
  it('answers the first query of the readme over the image of the sandbox', async () => {
    const { url } = await startGateway(await startSandbox());

    expect(await execute(url, QUERY)).toEqual({ status: 200, ...JSON.parse(ANSWER) });
  });

  it('is healthy by its own health check, runs as an unprivileged user with jemalloc, and cannot write', async () => {
    const { name } = await startGateway(await startSandbox());
    const [{ Config: config }] = JSON.parse(engine('inspect', name));
    const [, ...healthcheck]: string[] = config.Healthcheck.Test;
    const write = `require('fs').writeFileSync('/app/written', '')`;
    const readMaps = `console.log(require('fs').readFileSync('/proc/1/maps', 'utf8'))`;

    engine('exec', name, ...healthcheck);

    expect(config.User).toBe('65532:65532');
    expect(engine('exec', name, '/nodejs/bin/node', '-e', readMaps)).toContain(
      '/usr/lib/libjemalloc.so.2',
    );
    expect(() => engine('exec', name, '/nodejs/bin/node', '-e', write)).toThrow(/EROFS/);
  });

  it('ends its streams and exits with 0 on a signal to stop', async () => {
    const { url, stop } = await startGateway(await startSandbox());
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { purchaseRequests(first: 1) { totalCount } }' }),
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = Buffer.from((await reader.read()).value ?? []).toString();

    const [code] = await Promise.all([stop(), readToEnd(reader)]);

    expect(first).toContain('"totalCount"');
    expect(code).toBe(0);
  });

  it('shares its state through Redis, and is reached through nginx as `deploy/` has it', async () => {
    const [platform, redis] = [await startSandbox(), await startRedis()];
    const shared = { REDIS_URL: redis.url, SESSION_KEYS: storeKey(), HOST: '127.0.0.1' };
    const gateways = [await startGateway(platform, shared), await startGateway(platform, shared)];
    const [first = '', second = ''] = gateways.map(({ url }) => new URL(url).host);
    const config = readDeployFile('nginx/caseway.conf');
    const placed = config.replace('127.0.0.1:4000', first).replace('127.0.0.1:4010', second);
    const { port } = await startNginx(placed);

    const body = JSON.stringify({ query: QUERY });
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(port, { body })));

    for (const answer of answers) expect(JSON.parse(answer.body)).toEqual(JSON.parse(ANSWER));
    expect((await readiness(gateways[0]?.url ?? '')).redis).toBe('ok');
  });

  it.each([
    [GATEWAY, 60],
    [SANDBOX, 75],
  ])(
    '%s contains only the build output and its packages: no more than %d MB',
    (image, megabytes) => {
      const files = filesOf(image);
      const inApp = files
        .filter(({ path }) => path.startsWith('app/'))
        .map(({ path }) => path.slice('app/'.length));
      const bytes = files
        .filter(({ path }) => path.startsWith('app/'))
        .reduce((sum, { size }) => sum + size, 0);
      const decoys = files.filter(({ path }) => DECOY.test(path));

      expect(
        [...new Set(inApp.map((path) => path.split('/')[0]))].filter(Boolean).toSorted(),
      ).toEqual(BUILT);
      expect(decoys).toEqual([]);
      expect(inApp.filter((path) => /^(src|sandbox)\/.*(?<!\.d)\.ts$/.test(path))).toEqual([]);
      expect(bytes / MEGABYTE).toBeLessThan(megabytes);
    },
  );
});

/** The content of the working folder of both targets. */
const BUILT = [
  'LICENSE',
  'LICENSES.md',
  'README.md',
  'caseway.mjs',
  'client',
  'node_modules',
  'package.json',
  'playground',
  'sandbox',
  'schema',
  'src',
  'testing',
];
/** The context had a secret or a file of data under each of these names. */
const DECOY = /(^|\/)(\.env|id_rsa|sandbox\.sqlite|upstream-password|notes\.json)$/;

/** All files of an image, with their sizes in bytes. */
function filesOf(image: string): readonly { readonly path: string; readonly size: number }[] {
  const archive = join(writeFolder({}), 'files.tar');
  const name = engine('create', image).trim();
  onTestFinished(() => void engine('rm', name));
  engine('export', '-o', archive, name);
  const lines = runProgram('tar', ['-tvf', archive, '--numeric-owner']).trimEnd().split('\n');
  return lines.map((line) => {
    const [, , size, , , ...path] = line.split(/\s+/);
    return { path: path.join(' '), size: Number(size) };
  });
}

async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}
