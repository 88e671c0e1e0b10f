import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createSandbox } from '../../sandbox/index.ts';
import { subscribe } from '../features/live/support.ts';
import { writeFolder } from '../support/folder.ts';
import { postGraphql } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';
import { replaceFile, startReloading } from './support.ts';

const RULE = '{ rule(component: "a", version: "1") { name } }';

/** A platform that takes these logins, whose tokens name their user and number, and that says who reads. */
async function startLogins(...passwords: readonly string[]) {
  const state = { passwords };
  const issued: string[] = [];
  const reads: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { authorization = '' } = request.headers;
    response.setHeader('content-type', 'application/json');
    if (request.url !== '/v1.0/token') {
      reads.push(authorization);
      response.setHeader('last-modified', new Date(0).toUTCString());
      response.end(JSON.stringify({ name: authorization, parameters: [] }));
      return;
    }
    const { username, password } = body.startsWith('{') ? JSON.parse(body) : basic(authorization);
    if (!state.passwords.includes(password)) {
      response.writeHead(401).end('{}');
      return;
    }
    issued.push(`${username} ${password}`);
    const token = `${username}-${issued.length}`;
    if (body.startsWith('{')) response.setHeader('authorization', token);
    response.writeHead(201).end(JSON.stringify({ access_token: token, expires_in: 3600 }));
  });
  return { url: await listen(server), state, issued, reads };
}

function basic(authorization: string) {
  const [username, password] = atob(authorization.slice('Basic '.length)).split(':');
  return { username, password };
}

const fileWith = (content: string) => join(writeFolder({ file: content }), 'file');

describe('a password that changes', () => {
  it('makes a new token at once, without a failed read', async () => {
    const { url, state, issued, reads } = await startLogins('old');
    const file = fileWith('old\n');
    const env = { UPSTREAM_URL: url, UPSTREAM_USERNAME: 'user', UPSTREAM_PASSWORD_FILE: file };
    const { execute, reload } = await startReloading(env);
    await execute(RULE);

    state.passwords = ['new'];
    replaceFile(file, 'new\n');
    await reload('RELOADED');
    await expect.poll(() => issued).toEqual(['user old', 'user new']);
    await execute('{ rule(component: "b", version: "1") { name } }');

    expect(reads).toEqual(['Bearer user-1', 'Bearer user-2']);
  });

  it('is taken before the platform knows it: the token of before serves', async () => {
    const { url, state, issued, reads } = await startLogins('old');
    const file = fileWith('old');
    const env = { UPSTREAM_URL: url, UPSTREAM_USERNAME: 'user', UPSTREAM_PASSWORD_FILE: file };
    const { execute, reload, lines } = await startReloading(env);
    await execute(RULE);

    replaceFile(file, 'new');
    await reload('RELOADED');
    await expect.poll(() => lines.map(({ code }) => code)).toContain('NEW_CREDENTIALS_UNUSABLE');
    const { errors } = await execute('{ rule(component: "b", version: "1") { name } }');

    expect([errors, reads.at(-1), state.passwords, issued]).toEqual([
      undefined,
      'Bearer user-1',
      ['old'],
      ['user old'],
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/"(old|new)"/);
  });
});

describe('credentials that change', () => {
  const credentials = (username: string, password: string) => JSON.stringify({ username, password });
  const start = async () => {
    const platform = await startLogins('a', 'b');
    const file = fileWith(credentials('one', 'a'));
    const env = { UPSTREAM_URL: platform.url, UPSTREAM_AUTH: 'credentials', UPSTREAM_CREDENTIALS_FILE: file };
    const gateway = await startReloading({ ...env, CACHE_DEFINITIONS_MS: '3600000' });
    const name = async () => (await gateway.execute(RULE)).data.rule.name;
    return { ...platform, ...gateway, file, name };
  };

  it('to another user give nothing that was read for the one before', async () => {
    const { file, name, reload } = await start();
    expect(await name()).toBe('one-1');

    replaceFile(file, credentials('two', 'a'));
    await reload('RELOADED');

    expect(await name()).toBe('two-2');
  });

  it('to another user end the streams of the one before, and new ones are those of the new user', async () => {
    const sandbox = createSandbox({ file: ':memory:' });
    onTestFinished(sandbox.close);
    const file = fileWith(credentials('demo', 'demo'));
    const { url, reload } = await startReloading({
      UPSTREAM_URL: await sandbox.listen({ port: 0, host: '127.0.0.1' }),
      ...{ UPSTREAM_AUTH: 'credentials', UPSTREAM_CREDENTIALS_FILE: file },
    });
    const open = () => subscribe(url, 'subscription { instances(formId: "supplier") { totalCount } }');
    const before = await open();
    await before.next();

    replaceFile(file, credentials('reader', 'reader'));
    await reload('RELOADED');

    expect(await before.ended).not.toContain('event: complete');
    expect((await (await open()).next()).data.instances.totalCount).toBeGreaterThan(0);
  });

  it('to another user give the first outcome to a repeat, which writes nothing', async () => {
    const sandbox = createSandbox({ file: ':memory:' });
    onTestFinished(sandbox.close);
    const file = fileWith(credentials('demo', 'demo'));
    const { execute, reload } = await startReloading({
      UPSTREAM_URL: await sandbox.listen({ port: 0, host: '127.0.0.1' }),
      ...{ UPSTREAM_AUTH: 'credentials', UPSTREAM_CREDENTIALS_FILE: file },
    });
    const values = '{ name: "N", country: "PT", active: true }';
    const input = `{ formId: "supplier", values: ${values}, idempotencyKey: "once" }`;
    const create = () => execute(`mutation { createInstance(input: ${input}) { instance { instanceId } } }`);
    const count = async () =>
      (await execute('{ instances(formId: "supplier") { totalCount } }')).data.instances.totalCount;
    const first = await create();
    const before = await count();

    replaceFile(file, credentials('reader', 'reader'));
    await reload('RELOADED');

    expect([(await create()).data, await count()]).toEqual([first.data, before]);
  });

  it('to another password of the user keep what was read', async () => {
    const { file, name, reload, issued } = await start();
    expect(await name()).toBe('one-1');

    replaceFile(file, credentials('one', 'b'));
    await reload('RELOADED');
    await expect.poll(() => issued).toEqual(['one a', 'one b']);

    expect(await name()).toBe('one-1');
  });

  it.each([
    ['are cut', '{"username": "one", "pass'],
    ['are no object', '"canary"'],
    ['are empty', ''],
  ])('change nothing where they %s, and are quoted nowhere', async (_what, content) => {
    const { file, name, reload, lines, page, issued } = await start();
    await name();

    replaceFile(file, content);
    await reload('RELOAD_FAILED');

    expect(issued).toEqual(['one a']);
    expect(JSON.stringify(lines) + (await page())).not.toMatch(/canary|"pass\b|sha256/);
  });
});

describe('headers that change', () => {
  it('are sent with the next call', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      if (request.url !== '/v1.0/token') seen.push(request.headers['x-api-key']);
      const body =
        request.url === '/v1.0/token' ? { access_token: 't', expires_in: 3600 } : { name: 'a', parameters: [] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    const file = fileWith('{ "x-api-key": "one" }');
    const login = { UPSTREAM_USERNAME: 'u', UPSTREAM_PASSWORD: 'p', CACHE_DEFINITIONS_MS: '0' };
    const { url, reload } = await startReloading({
      UPSTREAM_URL: await listen(server),
      UPSTREAM_HEADERS_FILE: file,
      ...login,
    });
    await postGraphql(url, JSON.stringify({ query: RULE }));

    replaceFile(file, '{ "x-api-key": "two" }');
    await reload('RELOADED');
    await postGraphql(url, JSON.stringify({ query: RULE }));

    expect(seen).toEqual(['one', 'two']);
  });
});
