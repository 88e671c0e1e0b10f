import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createSandbox } from '../../sandbox/index.ts';
import { subscribe } from '../features/live/support.ts';
import { writeFolder } from '../support/folder.ts';
import { listen } from '../support/listen.ts';
import { replaceFile, startReloading } from './support.ts';

const RULE = '{ rule(component: "a", version: "1") { name } }';

const OTHER = RULE.replace('"a"', '"b"');

/**
 * Starts a platform with these logins. A token contains its user and number, and a read returns the
 * user.
 */
async function startLogins(...passwords: readonly string[]) {
  const state = { passwords };
  const issued: string[] = [];
  const reads: string[] = [];
  /** The fixed header of each request. */
  const apiKeys: unknown[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { authorization = '' } = request.headers;
    apiKeys.push(request.headers['x-api-key']);
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
  return { url: await listen(server), state, issued, reads, apiKeys };
}

function basic(authorization: string) {
  const [username, password] = atob(authorization.slice('Basic '.length)).split(':');
  return { username, password };
}

const fileWith = (content: string) => join(writeFolder({ file: content }), 'file');

describe('a password that changes', () => {
  const start = async () => {
    const platform = await startLogins('old');
    const file = fileWith('old\n');
    const gateway = await startReloading({
      UPSTREAM_URL: platform.url,
      UPSTREAM_USERNAME: 'user',
      UPSTREAM_PASSWORD_FILE: file,
    });
    await gateway.execute(RULE);
    replaceFile(file, 'new\n');
    return { ...platform, ...gateway };
  };

  it('makes a new token at once, without a failed read', async () => {
    const { state, issued, reads, execute, reload, metric } = await start();

    state.passwords = ['new'];
    await reload('RELOADED');
    await expect.poll(() => issued).toEqual(['user old', 'user new']);
    await execute(OTHER);
    expect(await metric()).toBe('0');

    expect(reads).toEqual(['Bearer user-1', 'Bearer user-2']);
  });

  it('is taken before the platform knows it: the token of before serves', async () => {
    const { issued, reads, execute, reload, codes, logged, metric, page } = await start();

    await reload('RELOADED');
    await expect.poll(codes).toContain('NEW_CREDENTIALS_UNUSABLE');
    expect(await metric()).toBe('1');
    expect(await page()).toMatch(
      /UPSTREAM_PASSWORD_FILE: the platform gives no token: getToken: unauthenticated \(HTTP 40\d\)/,
    );
    const { errors } = await execute(OTHER);

    expect([errors, reads.at(-1), issued]).toEqual([undefined, 'Bearer user-1', ['user old']]);
    expect(JSON.stringify(logged())).not.toMatch(/"(old|new)"/);
  });
});

describe('credentials that change', () => {
  const credentials = (username: string, password = username) =>
    JSON.stringify({ username, password });
  const startWith = async (url: string, content: string) => {
    const file = fileWith(content);
    const gateway = await startReloading({
      UPSTREAM_URL: url,
      UPSTREAM_AUTH: 'credentials',
      UPSTREAM_CREDENTIALS_FILE: file,
      CACHE_DEFINITIONS_MS: '3600000',
    });
    return { ...gateway, file };
  };
  const start = async () => {
    const platform = await startLogins('a', 'b');
    const gateway = await startWith(platform.url, credentials('one', 'a'));
    const name = async () => (await gateway.dataOf(RULE)).rule.name;
    expect(await name()).toBe('one-1');
    return { ...platform, ...gateway, name };
  };

  it('to another user give nothing that was read for the one before', async () => {
    const { file, name, reload } = await start();

    replaceFile(file, credentials('two', 'a'));
    await reload('RELOADED');

    expect(await name()).toBe('two-2');
  });

  it('to another user end the streams of the one before, and give the first outcome to a repeat', async () => {
    const sandbox = createSandbox({ file: ':memory:' });
    onTestFinished(sandbox.close);
    const platform = await sandbox.listen({ port: 0, host: '127.0.0.1' });
    const { url, dataOf, file, reload } = await startWith(platform, credentials('demo'));
    const list = '{ instances(formId: "supplier") { totalCount } }';
    const values = '{ name: "N", country: "PT", active: true }';
    const create = () =>
      dataOf(
        `mutation { createInstance(input: { formId: "supplier", values: ${values}, idempotencyKey: "once" }) { instance { instanceId } } }`,
      );
    const first = await create();
    const stream = await subscribe(url, `subscription ${list}`);
    const { data } = await stream.next();

    replaceFile(file, credentials('reader'));
    await reload('RELOADED');

    expect(await stream.ended).not.toContain('event: complete');
    expect(await create()).toEqual(first);
    // The new user sees the record of the previous one, and the repeat wrote nothing.
    expect(await dataOf(list)).toEqual(data);
  });

  it('to another password of the user keep the copies', async () => {
    const { file, name, reload, issued } = await start();

    replaceFile(file, credentials('one', 'b'));
    await reload('RELOADED');
    await expect.poll(() => issued).toEqual(['one a', 'one b']);

    expect(await name()).toBe('one-1');
  });

  it('change nothing where they are cut, no object or empty, and are quoted nowhere', async () => {
    const meet = async (content: string) => {
      const { file, reload, logged, page, issued } = await start();
      replaceFile(file, content);
      await reload('RELOAD_FAILED');
      expect(JSON.stringify(logged()) + (await page())).not.toMatch(/canary|"pass\b|sha256/);
      return issued;
    };

    // All at once, since each waits until its file has settled.
    const issued = await Promise.all(['{"username": "one", "pass', '"canary"', ''].map(meet));

    expect(issued).toEqual([['one a'], ['one a'], ['one a']]);
  });
});

it('changed headers are sent with the next call', async () => {
  const { url, apiKeys } = await startLogins('p');
  const file = fileWith('{ "x-api-key": "one" }');
  const { execute, reload } = await startReloading({
    UPSTREAM_URL: url,
    UPSTREAM_USERNAME: 'u',
    UPSTREAM_PASSWORD: 'p',
    UPSTREAM_HEADERS_FILE: file,
    CACHE_DEFINITIONS_MS: '0',
  });
  await execute(RULE);

  replaceFile(file, '{ "x-api-key": "two" }');
  await reload('RELOADED');
  await execute(RULE);

  expect(apiKeys).toEqual(['one', 'one', 'two']);
});
