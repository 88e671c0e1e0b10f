import { describe, expect, it } from 'vitest';

import { callerKeys, signIn } from '../../identity/support.ts';
import { freePort } from '../../support/redis.ts';
import { startWatched } from './support.ts';

const CALLS = 'caseway_caller_calls_total';
const READ = '{ instance(formId: "expense", instanceId: "1") { instanceId } }';
const CHANGE =
  'mutation { createInstance(input: { formId: "supplier", values: { name: "New", country: "PT", active: true } }) { instance { id } } }';
const KEYED = callerKeys('web', 'nightly');

/** Signs a user in, and reads as they. */
async function readAsUser({ execute }: Awaited<ReturnType<typeof startWatched>>): Promise<void> {
  const { data } = await execute(signIn('demo'));
  await execute(READ, { authorization: `Bearer ${data.signIn.sessionToken}` });
}

describe('calls to the platform', () => {
  it('are counted and logged by the name of the API key, and the token is the gateway’s own', async () => {
    const { execute, figures, operations } = await startWatched(KEYED);

    await execute(READ, { 'x-api-key': 'web' });
    await execute(CHANGE, { 'x-api-key': 'nightly' });

    expect(await figures(CALLS)).toMatchObject({
      'caller="gateway",kind="token"': 1,
      'caller="web",kind="read"': 1,
      'caller="nightly",kind="write"': 1,
    });
    expect(operations().map(({ caller, subject }) => [caller, subject])).toEqual([
      ['web', undefined],
      ['nightly', undefined],
    ]);
  });

  it('count the sent calls', async () => {
    const UPSTREAM_URL = `http://127.0.0.1:${await freePort()}`;
    const { execute, figures } = await startWatched({ UPSTREAM_URL });

    await execute(READ);

    expect(await figures(CALLS)).toEqual({});
  });

  it('are the first caller’s where several share a read', async () => {
    const { execute, figures } = await startWatched(KEYED);

    await Promise.all(
      ['web', 'nightly', 'web', 'nightly'].map((key) => execute(READ, { 'x-api-key': key })),
    );

    const reads = Object.keys(await figures(CALLS)).filter((labels) =>
      labels.includes('kind="read"'),
    );
    expect(reads.length).toBeLessThanOrEqual(2);
    expect(reads.every((labels) => /^caller="(web|nightly)"/.test(labels))).toBe(true);
  });

  it('name no caller where callers are not authenticated, nor where users sign in', async () => {
    const open = await startWatched();
    const signedIn = await startWatched({ IDENTITY: 'user' });

    await open.execute(READ);
    await readAsUser(signedIn);

    expect(await open.figures(CALLS)).toMatchObject({ 'caller="none",kind="read"': 1 });
    expect(await signedIn.figures(CALLS)).toMatchObject({
      'caller="user",kind="token"': 1,
      'caller="user",kind="read"': 1,
    });
    expect(signedIn.operations().at(-1)).toMatchObject({ caller: 'user', upstreamCalls: 1 });
    expect(signedIn.operations().at(-1)).not.toHaveProperty('subject');
  });

  it('are logged with who made them where LOG_LEVEL is debug', async () => {
    const gateway = await startWatched({ IDENTITY: 'user', LOG_LEVEL: 'debug' });

    await readAsUser(gateway);

    expect(gateway.operations().at(-1)).toMatchObject({
      caller: 'user',
      subject: 'demo',
      upstreamCalls: 1,
    });
  });
});

describe('operations', () => {
  const OPERATIONS = 'caseway_caller_operations_total';

  it('are counted by the name of the API key and by outcome, and no key is in the metrics', async () => {
    const { execute, figures, read } = await startWatched(callerKeys('web', 'nightly'));

    await execute('{ __typename }', { 'x-api-key': 'web' });
    await execute('{ nothing }', { 'x-api-key': 'nightly' });
    await execute('{ __typename }', { 'x-api-key': 'an-unknown-key' });

    expect(await figures(OPERATIONS)).toEqual({
      'caller="web",outcome="ok"': 1,
      'caller="nightly",outcome="failed"': 1,
    });
    expect(await read()).not.toContain('an-unknown-key');
  });

  it('have no token of a caller in the metrics', async () => {
    const { execute, figures, read } = await startWatched({ IDENTITY: 'forward' });
    const authorization = 'Bearer forwarded-canary';

    await execute(READ, { authorization });

    expect(await figures(OPERATIONS)).toEqual({ 'caller="forward",outcome="failed"': 1 });
    expect(await read()).not.toContain('canary');
  });

  it('of callers beyond the first hundred are counted together', async () => {
    const names = Array.from({ length: 102 }, (_, at) => `caller${at}`);
    const { execute, figures } = await startWatched(callerKeys(...names));

    for (const name of names) await execute('{ __typename }', { 'x-api-key': name });
    await execute('{ __typename }', { 'x-api-key': 'caller0' });

    const counted = await figures(OPERATIONS);
    expect(Object.keys(counted)).toHaveLength(101);
    expect(counted).toMatchObject({
      'caller="caller0",outcome="ok"': 2,
      'caller="other",outcome="ok"': 2,
    });
  });
});
