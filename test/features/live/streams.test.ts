import { generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { callerKeys, executeAs, signInAs, startPlatform } from '../../identity/support.ts';
import { writeFolder } from '../../support/folder.ts';
import { startGateway } from '../../support/gateway.ts';
import { keySetUrl } from '../../support/key-set.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import {
  listOf,
  listResult,
  MINUTE_MS,
  startByClock,
  startListPlatform,
  startLists,
  subscribe,
  subscribeUnread,
} from './support.ts';

describe('a stream', () => {
  it('has a heartbeat every 12 seconds that is no event, with the number of polls', async () => {
    const { pass, watch } = await startLists();
    const stream = await watch();

    await pass(MINUTE_MS);

    const polls = () =>
      [...stream.text().matchAll(/^: (\d+) polls\n\n/gm)].map(([, count]) => Number(count));
    await expect.poll(polls).toEqual([2, 4, 7, 9, 11]);
    expect(stream.text().match(/event/g)).toHaveLength(1);
  });

  it('ends after an hour without saying that it is complete', async () => {
    const { pass, watch } = await startLists({ LIVE_INTERVAL_MS: '3600000' });
    const stream = await watch();

    await pass(61 * MINUTE_MS);

    expect(await stream.ended).not.toContain('event: complete');
  });

  it('is complete where nothing was read that could change', async () => {
    const { watch } = await startLists();
    const stream = await watch('subscription { instances(formId: "a", first: -1) { totalCount } }');
    expect(await stream.ended).toMatch(/BAD_USER_INPUT.*\n\nevent: complete\ndata:\n\n$/);
  });

  it('ends when the gateway stops, without saying that it is complete, one after the other', async () => {
    const platform = await startListPlatform();
    const { url, close, lines } = await startGateway({ ...platform.env, LOG_LEVEL: 'info' });
    const streams = await Promise.all(['a', 'b', 'c'].map((form) => subscribe(url, listOf(form))));
    for (const stream of streams) await stream.next();

    await close();

    for (const stream of streams) expect(await stream.ended).not.toContain('event: complete');
    expect(lines.join().match(/"reason":"shutdown"/g)).toHaveLength(3);
  });

  it('is refused beyond the limit of all, and a tenth of it for one caller', async () => {
    const known = await startLists(callerKeys('one', 'two'), { maxStreams: 20 });
    const unknown = await startLists({}, { maxStreams: 2 });

    const statuses: number[] = [];
    for (const key of ['one', 'one', 'one', 'two']) {
      const headers = { 'x-api-key': key };
      statuses.push((await subscribe(known.url, listOf('a'), { headers })).status);
    }
    for (const form of ['a', 'b', 'c'])
      statuses.push((await subscribe(unknown.url, listOf(form))).status);

    expect(statuses).toEqual([200, 200, 429, 200, 200, 200, 503]);
  });

  it('ends with its caller’s token', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const { watch, pass, figure, lines } = await startLists({
      CALLER_AUTH: 'jwt',
      CALLER_JWKS_URL: await keySetUrl(publicKey),
      LOG_LEVEL: 'info',
    });
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256' })
      .setSubject('ann')
      .setExpirationTime('2m')
      .sign(privateKey);
    const stream = await watch(listOf('a'), { headers: { authorization: `Bearer ${token}` } });

    await pass(3 * MINUTE_MS);

    expect(await stream.ended).not.toContain('event: complete');
    await expect.poll(() => figure('caseway_live_streams')).toBe(0);
    expect(lines.at(-1)).toContain('"reason":"session ended"');
  });

  it('ends with the error when the platform refuses the credentials', async () => {
    const { watch, state, pass } = await startLists({ IDENTITY: 'forward' });
    const stream = await watch(listOf('a'), { headers: { authorization: 'Bearer given' } });

    state.failing = { status: 401, body: {} };
    await pass(6_000);

    const text = await stream.ended;
    expect(text).toContain('"code":"UNAUTHENTICATED"');
    expect(text).not.toContain('event: complete');
  });

  it('costs one result and is closed after 30 seconds while its client does not read', async () => {
    const big = 'x'.repeat(800_000);
    let version = 0;
    const platform = await scriptPlatform(({ method }) => {
      if (method === 'DELETE') return { status: 204, body: '' };
      return { body: { items: [{ idInstance: 1, values: { big, version } }], total: 1 } };
    });
    const { url, pass, figure, remove } = await startByClock(platform.env);
    const query = 'subscription { instances(formId: "a") { nodes { values } } }';
    await subscribeUnread(url, { query });

    for (version = 1; version <= 10; version++) {
      await remove();
      await pass(1_000);
      await expect.poll(() => figure('caseway_live_runs_total')).toBe(version);
    }
    await pass(40_000);

    await expect.poll(() => figure('caseway_live_streams')).toBe(0);
  });
});

describe('a stream of a user', () => {
  const startForUsers = async () => {
    const { url } = await startPlatform();
    return startByClock({ UPSTREAM_URL: url, IDENTITY: 'user' });
  };

  it('ends at once when they sign out, without saying that it is complete, and no other does', async () => {
    const { url, watch, figure } = await startForUsers();
    const [here, there] = [await signInAs(url, 'demo'), await signInAs(url, 'demo')];
    const stream = await watch(listOf('supplier'), { headers: here });
    await watch(listOf('supplier'), { headers: there });

    await executeAs(url, 'mutation { signOut { viewer { name } } }', here);

    expect(await stream.ended).toMatch(/^:\n\nevent: next\ndata: .*\n\n$/);
    await expect.poll(() => figure('caseway_live_streams')).toBe(1);
  });

  it('is complete after the error where there is no session, so that its client does not come again', async () => {
    const { url } = await startForUsers();
    const stream = await subscribe(url, listOf('supplier'));
    expect(stream.status).toBe(200);
    expect(await stream.ended).toMatch(/"code":"UNAUTHENTICATED".*\n\nevent: complete\ndata:\n\n$/);
  });
});

it('a client that leaves before the first result leaves no stream and no poll behind', async () => {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const platform = await scriptPlatform(async ({ url: path }) => {
    if (path.includes('/forms/b/')) asked.resolve();
    await held.promise;
    return { body: { items: [], total: 0 } };
  });
  const { url, pass, figure, lines } = await startByClock({ ...platform.env, LOG_LEVEL: 'info' });
  const opening = subscribe(url, listOf('a'));
  const leaving = new AbortController();
  const left = subscribe(url, listOf('b'), { signal: leaving.signal });
  await asked.promise;
  leaving.abort();
  await expect(left).rejects.toThrow('aborted');
  held.resolve();
  await (await opening).next();
  await expect.poll(() => lines.filter((line) => line.includes('"operation"')).length).toBe(2);

  await pass(MINUTE_MS);

  expect(await figure('caseway_live_streams')).toBe(1);
  const polls = platform.seen.filter(({ url: path }) => path.includes('/forms/b/'));
  expect(polls.length).toBeLessThanOrEqual(1);
  expect(lines.join()).not.toContain('unexpected error');
});

it('a run that fails in the gateway itself ends its streams with the error, to be opened again, and no others', async () => {
  let isFull = false;
  const lines: string[] = [];
  const onLogLine = (line: string) => {
    if (isFull && line.includes('"operation":"Failing"')) throw new Error('The disk is full.');
    lines.push(line);
  };
  const { watch, pass, change } = await startLists({ LOG_LEVEL: 'info' }, { onLogLine });
  const stream = await watch(listOf('a').replace('subscription', 'subscription Failing'));
  const other = await watch(listOf('b'));

  isFull = true;
  change('a', 2);
  change('b', 2);
  await pass(6_000);

  const text = await stream.ended;
  expect(text).toContain('"code":"INTERNAL_SERVER_ERROR"');
  expect(text).not.toContain('disk');
  expect(text).not.toContain('event: complete');
  expect(await other.next()).toEqual(listResult(2));
  const logged = lines.map((line) => JSON.parse(line));
  const { requestId } = logged.find(({ operation }) => operation === 'Failing');
  expect(logged.filter((line) => line.requestId === requestId).slice(1)).toMatchObject([
    { msg: 'unexpected error', err: {} },
    { msg: 'subscription ended', reason: 'failed' },
  ]);
});

it('the log has one line for a stream that has ended: why, after how long, its results and its polls', async () => {
  const { watch, change, pass, figure, lines } = await startLists({ LOG_LEVEL: 'info' });
  const query = 'subscription Secret($form: ID!) { instances(formId: $form) { totalCount } }';
  const stream = await watch(query, { variables: { form: 'hidden' } });
  change('hidden', 2);
  await pass(MINUTE_MS);
  await stream.next();
  stream.close();
  await expect.poll(() => figure('caseway_live_streams')).toBe(0);

  const ended = lines.filter((line) => line.includes('subscription ended'));
  expect(ended.map((line) => JSON.parse(line))).toMatchObject([
    {
      reason: 'client left',
      durationMs: MINUTE_MS,
      results: 2,
      polls: 12,
      requestId: expect.any(String),
    },
  ]);
  expect(ended.join()).not.toContain('hidden');
});

it('operations that differ only in undeclared variables or in the order of variables share one stored operation', async () => {
  const { watch, figure } = await startLists();
  const query =
    'subscription ($form: ID!, $first: Int) { instances(formId: $form, first: $first) { nodes { instanceId } } }';
  await watch(query, { variables: { form: 'a', first: 1 } });
  await watch(query, { variables: { first: 1, form: 'a' } });
  await watch(query, { variables: { form: 'a', first: 1, undeclared: 'x' } });
  expect(await figure('caseway_live_operations')).toBe(1);
});

describe('streams of several callers', () => {
  const names = ['ann', 'bob', 'zoe'];

  it('show each what the platform shows to them, and are polled for each', async () => {
    const platform = await scriptPlatform(({ headers }) => {
      const name = headers.authorization?.replace('Bearer ', '') ?? '';
      return { body: { items: [{ idInstance: 1, values: { name } }], total: 1 } };
    });
    const { watch, pass } = await startByClock({ ...platform.env, IDENTITY: 'forward' });
    const query = 'subscription { instances(formId: "a") { nodes { value(field: "name") } } }';
    const streams = await Promise.all(
      names.map(async (name) => {
        const headers = { authorization: `Bearer ${name}` };
        return [name, await watch(query, { headers })] as const;
      }),
    );

    await pass(MINUTE_MS);

    for (const [name, stream] of streams) {
      expect(stream.first.data.instances.nodes).toEqual([{ value: name }]);
      expect(names.filter((other) => stream.text().includes(other))).toEqual([name]);
      const own = `Bearer ${name}`;
      expect(platform.seen.filter(({ headers }) => headers.authorization === own)).toHaveLength(13);
    }
  });

  it('are of separate runs where a field of an extension depends on the caller', async () => {
    const extension = `export default {
      typeDefs: 'extend interface Instance { asCaller: String }',
      resolvers: { Instance: { asCaller: (_source, _args, { caller }) => caller.name } },
    };`;
    const env = { EXTENSIONS: writeFolder({ 'own.js': extension }), ...callerKeys(...names) };
    const { watch, change, remove, pass, figure } = await startLists(env);
    const query = 'subscription { instances(formId: "a") { nodes { asCaller } } }';
    const streams = await Promise.all(
      names.map(
        async (name) => [name, await watch(query, { headers: { 'x-api-key': name } })] as const,
      ),
    );
    expect(await figure('caseway_live_operations')).toBe(3);

    change('a', 2);
    await remove('a', { 'x-api-key': 'ann' });
    await pass(1_000);

    for (const [asCaller, stream] of streams) {
      expect(stream.first.data.instances.nodes).toEqual([{ asCaller }]);
      expect((await stream.next()).data.instances.nodes).toEqual([{ asCaller }, { asCaller }]);
    }
  });
});
