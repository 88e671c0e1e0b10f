import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

import fastify, { type FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';

import { servePlayground } from '../../../src/features/playground/index.ts';
import { credentialsOf } from '../../../src/http/auth/modes.ts';

const ROOT = join(import.meta.dirname, '../../..');
const BUILD = 'playground/build.mjs';
const SDL = 'type Query { answer: Int }';

let folder: string;
let app: FastifyInstance;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'playground-'));
  app = fastify();
  const readSdl = async () => ({ text: SDL, gzipped: async () => gzipSync(SDL) });
  await app.register((pages) =>
    servePlayground(pages, { folder, credentials: 'api-key', users: [], readSdl }),
  );
  return async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  };
});

describe('the playground’s pages', () => {
  it('explain how to build them when there is no build', async () => {
    const { statusCode, body } = await app.inject('/playground');

    expect(statusCode).toBe(503);
    expect(body).toContain('npm run prepare');
  });

  it('are served as soon as there is a build, may load nothing from other origins and may not be framed', async () => {
    writeFileSync(join(folder, 'index.html'), '<!doctype html>');

    const { statusCode, headers } = await app.inject('/playground');

    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(
      /default-src 'none'.*script-src 'self'.*connect-src 'self'.*frame-ancestors 'none'/,
    );
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  it.each(['/', '/playground/', '/playground/index.html'])('are reached from %s', async (path) => {
    const { statusCode, headers } = await app.inject(path);

    expect([statusCode, headers.location]).toEqual([302, '/playground']);
  });

  it.each([
    ['caseway-ABCD1234.js', 'public, max-age=31536000, immutable'],
    ['favicon.svg', 'no-cache'],
  ])('are cached for ever where their name contains a hash: %s', async (file, expected) => {
    writeFileSync(join(folder, file), '');

    const { headers } = await app.inject(`/playground/${file}`);

    expect(headers['cache-control']).toBe(expected);
  });

  it.each(['missing.js', '..%2fpackage.json', '%2e%2e/package.json'])(
    'are the only files that are served: %s is not',
    async (file) => {
      expect((await app.inject(`/playground/${file}`)).statusCode).toBe(404);
    },
  );
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

describe('/schema.graphql', () => {
  it('downloads the schema', async () => {
    const { statusCode, headers, body } = await app.inject('/schema.graphql');

    expect([statusCode, body]).toEqual([200, SDL]);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="schema.graphql"',
    });
  });

  it('is compressed for a client that accepts it', async () => {
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
});

/** Runs the build of a checkout. Without a PATH no package can be installed. */
const build = (checkout: string, env: NodeJS.ProcessEnv = { PATH: '' }) =>
  spawnSync(process.execPath, [join(checkout, BUILD)], { encoding: 'utf8', env });

describe('the build of the playground', () => {
  it('has the licences of the packages in its bundle', () => {
    build(ROOT, process.env);

    const licences = readFileSync(join(ROOT, 'playground/dist/licenses.txt'), 'utf8');

    for (const name of ['graphiql', 'graphql', 'monaco-editor', 'monaco-graphql', 'react']) {
      expect(licences).toMatch(
        new RegExp(`^# ${name} [\\d.]+\n(# .+\n)*\n.{0,40}(License|Copyright|NOTICES)`, 'm'),
      );
    }
  });

  it.each(['playground/samples/index.ts', 'docs/README.md'])(
    'is made again only after a change, as of %s, and its packages are installed only then',
    (changed) => {
      // As `npm ci` does, which may have been a while ago.
      build(ROOT, process.env);
      const filter = (path: string) => basename(path) !== 'node_modules';
      for (const path of ['docs', 'playground', 'tools']) {
        cpSync(join(ROOT, path), join(folder, path), { recursive: true, filter });
      }

      const unchanged = build(folder);
      appendFileSync(join(folder, changed), '\n');
      const rebuilt = build(folder);

      expect(unchanged).toMatchObject({
        status: 0,
        stdout: 'Playground: unchanged since it was built.\n',
      });
      expect(rebuilt).toMatchObject({
        status: 1,
        stdout: expect.stringContaining('Installing the packages'),
      });
      expect(existsSync(join(folder, 'playground/dist/index.html'))).toBe(true);
    },
  );

  it('is skipped without an error where development dependencies are not installed', () => {
    cpSync(join(ROOT, BUILD), join(folder, BUILD));

    expect(build(folder, { npm_config_omit: 'dev' })).toMatchObject({
      stdout: expect.stringMatching(/^Playground: not built, .*\n$/),
      stderr: '',
    });
  });
});
