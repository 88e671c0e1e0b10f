import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';

import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { servePlayground } from '../../../src/features/playground/index.ts';
import { credentialsOf } from '../../../src/http/auth/modes.ts';

const SDL = 'type Query { answer: Int }';

let folder: string;
let app: FastifyInstance;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'playground-'));
  app = fastify();
  const readSdl = async () => ({ text: SDL, gzipped: async () => gzipSync(SDL) });
  await app.register((pages) =>
    servePlayground(pages, { folder, credentials: 'api-key', users: [], readSdl }),
  );
});

afterEach(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

describe('the playground’s pages', () => {
  it('explain how to build them when there is no build', async () => {
    const { statusCode, body } = await app.inject('/playground');

    expect(statusCode).toBe(503);
    expect(body).toContain('npm run prepare');
  });

  it('are served as soon as there is a build, may load nothing from other origins and may not be framed', async () => {
    await writeFile(join(folder, 'index.html'), '<!doctype html>');

    const { statusCode, headers } = await app.inject('/playground');

    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(
      /default-src 'none'.*script-src 'self'.*connect-src 'self'.*frame-ancestors 'none'/,
    );
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  it('are reached from the root, and with a trailing slash', async () => {
    for (const path of ['/', '/playground/', '/playground/index.html']) {
      const { statusCode, headers } = await app.inject(path);
      expect([path, statusCode, headers.location]).toEqual([path, 302, '/playground']);
    }
  });

  it('are cached for ever where their name contains a hash', async () => {
    await writeFile(join(folder, 'caseway-ABCD1234.js'), '');
    await writeFile(join(folder, 'favicon.svg'), '');

    const cacheControl = async (file: string) =>
      (await app.inject(`/playground/${file}`)).headers['cache-control'];

    expect(await cacheControl('caseway-ABCD1234.js')).toContain('immutable');
    expect(await cacheControl('favicon.svg')).toBe('no-cache');
  });

  it('are the only files that are served', async () => {
    for (const path of [
      '/playground/missing.js',
      '/playground/..%2fpackage.json',
      '/playground/%2e%2e/package.json',
    ]) {
      expect([path, (await app.inject(path)).statusCode]).toEqual([path, 404]);
    }
  });
});

describe('/playground/config.json', () => {
  it('lists how callers authenticate, by the settings', async () => {
    const { headers, body } = await app.inject('/playground/config.json');

    expect(JSON.parse(body)).toEqual({ credentials: 'api-key', users: [] });
    expect(headers).toMatchObject({ 'cache-control': 'no-cache' });
  });

  it.each([
    [{ IDENTITY: 'service' }, 'none'],
    [{ IDENTITY: 'service', CALLER_AUTH: 'key' }, 'api-key'],
    [{ IDENTITY: 'service', CALLER_AUTH: 'jwt' }, 'token'],
    [{ IDENTITY: 'forward' }, 'platform-token'],
    [{ IDENTITY: 'user' }, 'session'],
  ] as const)('%o: %s', (settings, credentials) => {
    expect(credentialsOf({ CALLER_AUTH: undefined, ...settings })).toBe(credentials);
  });
});

it('/schema.graphql is compressed for a client that accepts it', async () => {
  const { headers, rawPayload } = await app.inject({
    url: '/schema.graphql',
    headers: { 'accept-encoding': 'gzip, deflate' },
  });

  expect(headers).toMatchObject({
    'content-encoding': 'gzip',
    vary: expect.stringContaining('Accept-Encoding'),
  });
  expect(gunzipSync(rawPayload).toString()).toBe(SDL);
});

it('/schema.graphql downloads the schema', async () => {
  const { statusCode, headers, body } = await app.inject('/schema.graphql');

  expect([statusCode, body]).toEqual([200, SDL]);
  expect(headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': 'attachment; filename="schema.graphql"',
  });
});

it('the build is skipped without an error where development dependencies are not installed', async () => {
  const build = join(folder, 'build.mjs');
  await cp(join(import.meta.dirname, '../../../playground/build.mjs'), build);

  const { stdout, stderr } = await promisify(execFile)(process.execPath, [build], {
    env: { npm_config_omit: 'dev' },
  });

  expect(stdout).toMatch(/^Playground: not built, .*\n$/);
  expect(stderr).toBe('');
});
