import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { startGateway } from '../../support/gateway.ts';
import { freePort } from '../../support/redis.ts';

const READ = '{ instance(formId: "expense", instanceId: "1") { instanceId } }';
const CHANGE =
  'mutation { createInstance(input: { formId: "supplier", values: { name: "New", country: "PT", active: true } }) { instance { id } } }';

interface SignedIn {
  readonly data: { readonly signIn: { readonly sessionToken: string } };
}

/** A gateway, what it counts for each caller, and whom its log lines of operations name. */
async function startWatched(env: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  const given = { LOG_LEVEL: 'info', METRICS_PORT: '0', TYPED_FORMS: 'none', ...env };
  const { url, metricsUrl } = await startGateway(given, (line) => lines.push(line));
  const execute = async (query: string, headers: Readonly<Record<string, string>> = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    return (await (await fetch(`${url}/graphql`, { ...init, body: JSON.stringify({ query }) })).json()) as SignedIn;
  };
  const counted = async () => {
    const text = await (await fetch(String(metricsUrl))).text();
    return [...text.matchAll(/^caseway_caller_calls_total\{(.*)\} (\d+)$/gm)].map(([, labels, n]) => `${labels} ${n}`);
  };
  const logged = () =>
    lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'operation')
      .map(({ caller, subject, upstreamCalls }) => ({ caller, subject, upstreamCalls }));
  return { execute, counted, logged };
}

const KEYED = {
  CALLER_AUTH: 'key',
  CALLER_KEYS: ['web', 'nightly'].map((name) => `${name}:${hash('sha256', name, 'hex')}`).join(),
};

describe('calls to the platform', () => {
  it('are counted and logged by the name of the API key, and the token is the gateway’s own', async () => {
    const { execute, counted, logged } = await startWatched(KEYED);

    await execute(READ, { 'x-api-key': 'web' });
    await execute(CHANGE, { 'x-api-key': 'nightly' });

    expect(await counted()).toEqual(
      expect.arrayContaining([
        'caller="gateway",kind="token" 1',
        'caller="web",kind="read" 1',
        'caller="nightly",kind="write" 1',
      ]),
    );
    expect(logged().map(({ caller, subject }) => [caller, subject])).toEqual([
      ['web', undefined],
      ['nightly', undefined],
    ]);
  });

  it('are those that were sent', async () => {
    const UPSTREAM_URL = `http://127.0.0.1:${await freePort()}`;
    const user = { UPSTREAM_USERNAME: 'user', UPSTREAM_PASSWORD: 'password' };
    const { execute, counted } = await startWatched({ UPSTREAM_URL, ...user });

    await execute(READ);

    expect(await counted()).toEqual([]);
  });

  it('are the first caller’s where several share a read', async () => {
    const { execute, counted } = await startWatched(KEYED);
    const both = ['web', 'nightly', 'web', 'nightly'].map((key) => execute(READ, { 'x-api-key': key }));
    await Promise.all(both);

    const reads = (await counted()).filter((line) => line.includes('kind="read"'));

    expect(reads.length).toBeLessThanOrEqual(2);
    expect(reads.every((line) => /^caller="(web|nightly)"/.test(line))).toBe(true);
  });

  it('are nobody’s in particular where callers are not authenticated, nor where users sign in', async () => {
    const open = await startWatched({});
    const signedIn = await startWatched({ IDENTITY: 'user' });

    await open.execute(READ);
    const { data } = await signedIn.execute(
      'mutation { signIn(input: { username: "demo", password: "demo" }) { sessionToken } }',
    );
    await signedIn.execute(READ, { authorization: `Bearer ${data.signIn.sessionToken}` });

    expect(await open.counted()).toContain('caller="none",kind="read" 1');
    expect(await signedIn.counted()).toEqual(
      expect.arrayContaining(['caller="user",kind="token" 1', 'caller="user",kind="read" 1']),
    );
    expect(signedIn.logged().at(-1)).toEqual({ caller: 'user', subject: undefined, upstreamCalls: 1 });
  });

  it('are logged with who made them where LOG_LEVEL is debug', async () => {
    const { execute, logged } = await startWatched({ IDENTITY: 'user', LOG_LEVEL: 'debug' });
    const { data } = await execute(
      'mutation { signIn(input: { username: "demo", password: "demo" }) { sessionToken } }',
    );

    await execute(READ, { authorization: `Bearer ${data.signIn.sessionToken}` });

    expect(logged().at(-1)).toEqual({ caller: 'user', subject: 'demo', upstreamCalls: 1 });
  });
});
