import { generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { callerKeys } from '../../identity/support.ts';
import { postGraphql, startGateway } from '../../support/gateway.ts';
import { keySetUrl } from '../../support/key-set.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import {
  listOf,
  MINUTE_MS,
  startByClock,
  startListPlatform,
  startLists,
  subscribe,
  subscribeUnread,
} from './support.ts';

describe('a stream', () => {
  it('has a heartbeat every 12 seconds that is no event, with the number of polls', async () => {
    const { url, pass } = await startLists();
    const stream = await subscribe(url, listOf('a'));
    await stream.next();

    await pass(MINUTE_MS);

    const polls = () =>
      [...stream.text().matchAll(/^: (\d+) polls\n\n/gm)].map(([, count]) => Number(count));
    await expect.poll(polls).toEqual([2, 4, 7, 9, 11]);
    expect(stream.text().match(/event/g)).toHaveLength(1);
  });

  it('ends after an hour without saying that it is complete', async () => {
    const { url, pass } = await startLists({ LIVE_INTERVAL_MS: '3600000' });
    const stream = await subscribe(url, listOf('a'));
    await stream.next();

    await pass(61 * MINUTE_MS);

    expect(await stream.ended).not.toContain('event: complete');
  });

  it('is complete where nothing was read that could change', async () => {
    const { url } = await startLists();
    const stream = await subscribe(
      url,
      'subscription { instances(formId: "a", first: -1) { totalCount } }',
    );
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
    const open = (key: string) =>
      subscribe(known.url, listOf('a'), { headers: { 'x-api-key': key } });
    const statuses: number[] = [];
    for (const key of ['one', 'one', 'one', 'two']) statuses.push((await open(key)).status);
    expect(statuses).toEqual([200, 200, 429, 200]);

    const unknown = await startLists({}, { maxStreams: 2 });
    const others: number[] = [];
    for (const form of ['a', 'b', 'c'])
      others.push((await subscribe(unknown.url, listOf(form))).status);
    expect(others).toEqual([200, 200, 503]);
  });

  it('ends with its caller’s token', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const env = {
      ...{ CALLER_AUTH: 'jwt', CALLER_JWT_ISSUER: 'https://id.example', LOG_LEVEL: 'info' },
      CALLER_JWKS_URL: await keySetUrl(publicKey),
    };
    const { url, pass, figure, lines } = await startLists(env);
    const claims = new SignJWT()
      .setProtectedHeader({ alg: 'ES256' })
      .setSubject('ann')
      .setIssuer('https://id.example');
    const authorization = `Bearer ${await claims.setExpirationTime('2m').sign(privateKey)}`;
    const stream = await subscribe(url, listOf('a'), { headers: { authorization } });
    await stream.next();

    await pass(3 * MINUTE_MS);

    expect(await stream.ended).not.toContain('event: complete');
    await expect.poll(() => figure('caseway_live_streams')).toBe(0);
    expect(lines.at(-1)).toContain('"reason":"session ended"');
  });

  it('ends with the error when the platform refuses the credentials', async () => {
    const { url, state, pass } = await startLists({ IDENTITY: 'forward' });
    const stream = await subscribe(url, listOf('a'), {
      headers: { authorization: 'Bearer given' },
    });
    await stream.next();

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
    await subscribeUnread(url, {
      query: 'subscription { instances(formId: "a") { nodes { values } } }',
    });

    for (version = 1; version <= 10; version++) {
      await remove('a');
      await pass(1_000);
      await expect.poll(() => figure('caseway_live_runs_total')).toBe(version);
    }
    await pass(40_000);

    await expect.poll(() => figure('caseway_live_streams')).toBe(0);
  });
});

it('streams of several callers show each what the platform shows to them, and are polled for each', async () => {
  const platform = await scriptPlatform(({ headers }) => {
    const name = headers.authorization?.replace('Bearer ', '') ?? '';
    return { body: { items: [{ idInstance: 1, values: { name } }], total: 1 } };
  });
  const { url, pass } = await startByClock({ ...platform.env, IDENTITY: 'forward' });
  const query = 'subscription { instances(formId: "a") { nodes { value(field: "name") } } }';
  const names = ['ann', 'bob', 'zoe'];
  const streams = await Promise.all(
    names.map((name) => subscribe(url, query, { headers: { authorization: `Bearer ${name}` } })),
  );
  for (const [index, stream] of streams.entries()) {
    expect((await stream.next()).data.instances.nodes).toEqual([{ value: names[index] }]);
  }

  await pass(MINUTE_MS);

  for (const [index, stream] of streams.entries()) {
    for (const other of names.filter((name) => name !== names[index]))
      expect(stream.text()).not.toContain(other);
  }
  const polls = names.map((name) =>
    platform.seen.filter(({ headers }) => headers.authorization === `Bearer ${name}`),
  );
  expect(polls.map(({ length }) => length)).toEqual([13, 13, 13]);
});

it('subscriptions by the clock of the process show a change through the gateway within 100 ms of its response', async () => {
  const platform = await startListPlatform();
  const { url } = await startGateway(platform.env);
  const stream = await subscribe(url, listOf('a'));
  await stream.next();

  platform.change('a', 5);
  const query = 'mutation { deleteInstance(input: { formId: "a", instanceId: 1 }) { deletedId } }';
  await postGraphql(url, { query });

  expect((await stream.next()).data.instances.totalCount).toBe(5);
});
