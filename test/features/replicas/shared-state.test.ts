import { describe, expect, it } from 'vitest';

import { callerKeys, executeAs, signInAs, VIEWER } from '../../identity/support.ts';
import { startServer } from '../../upstream/support/open.ts';
import { type Sharer, startPair, startSharer, whileShared } from './replicas.ts';

const READ = 'query ($id: ID!) { instance(formId: "expense", instanceId: $id) { instanceId } }';

/** Reads this number of instances, and returns the codes of the errors. */
async function read({ execute }: Sharer, count: number) {
  const codes: unknown[] = [];
  // No more at a time than a gateway takes of one caller.
  for (let first = 1; first <= count; first += 50) {
    const ids = Array.from({ length: Math.min(50, count) }, (_, index) => first + index);
    const answers = await Promise.all(ids.map((id) => execute(READ, { id })));
    for (const { errors = [] } of answers)
      codes.push(...errors.map(({ extensions }) => extensions['code']));
  }
  return codes;
}

describe('UPSTREAM_CALLS_PER_MINUTE', () => {
  it('is one budget for two gateways that share Redis, under ten times the load', async () => {
    const { platform, a, b } = await startPair({ UPSTREAM_CALLS_PER_MINUTE: '120' });

    const refused = (await Promise.all([read(a, 200), read(b, 200)])).flat();

    expect(platform.calls.length).toBeLessThanOrEqual((7 / 6) * 120);
    expect(refused).toHaveLength(400 - platform.calls.filter((call) => call !== 'getToken').length);
    expect(new Set(refused)).toEqual(new Set(['RATE_LIMITED']));
  });

  it('reserves calls for writes when reads are used up, on every replica', async () => {
    const { a, b } = await startPair({ UPSTREAM_CALLS_PER_MINUTE: '240' });
    await Promise.all([read(a, 30), read(b, 30)]);

    for (const { execute } of [a, b]) {
      const { errors } = await execute(
        'mutation { createInstance(input: { formId: "supplier", values: { name: "New", country: "PT", active: true } }) { instance { id } } }',
      );
      expect(errors).toBeUndefined();
    }
  });
});

it('CALLER_REQUESTS_PER_MINUTE counts the requests of a caller to all replicas', async () => {
  const { statuses } = await whileShared(async () => {
    const { a, b } = await startPair({
      ...callerKeys('web', 'mobile'),
      CALLER_REQUESTS_PER_MINUTE: '4',
    });
    const statuses: number[] = [];
    const ask = async ({ url }: Sharer, key: string) =>
      statuses.push((await executeAs(url, '{ __typename }', { 'x-api-key': key })).status);
    for (const sharer of [a, b, a, b, a, b]) await ask(sharer, 'web');
    await ask(b, 'mobile');
    return { a, b, statuses };
  });

  expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 200]);
});

describe('signing out at one replica', () => {
  /** Starts two gateways where users sign in, and signs a user in at the first. */
  async function startSignedIn() {
    const pair = await startPair({ IDENTITY: 'user' });
    const headers = await signInAs(pair.a.url, 'demo');
    const viewerAt = async ({ url }: Sharer) =>
      (await executeAs(url, VIEWER, headers)).data.viewer?.name ?? 'nobody';
    const signOut = () =>
      executeAs(pair.a.url, 'mutation { signOut { viewer { name } } }', headers);
    return { ...pair, viewerAt, signOut };
  }

  it('ends the session at the other, which has served it', async () => {
    const { a, b, viewerAt, signOut } = await startSignedIn();
    expect([await viewerAt(a), await viewerAt(b)]).toEqual(['demo', 'demo']);

    await signOut();

    await expect.poll(() => viewerAt(b)).toBe('nobody');
  });

  it('has ended the session for a replica that starts later', async () => {
    const { viewer } = await whileShared(async () => {
      const { env, a, viewerAt, signOut } = await startSignedIn();
      await signOut();
      const late = await startSharer(env);
      return { a, b: late, viewer: await viewerAt(late) };
    });

    expect(viewer).toBe('nobody');
  });

  it('while Redis is away is known to the others when it is back, and here at once', async () => {
    const { redis, a, b, viewerAt, signOut } = await startSignedIn();
    await viewerAt(b);
    await redis.kill();

    await signOut();

    expect([await viewerAt(a), await viewerAt(b)]).toEqual(['nobody', 'demo']);
    await redis.restart();
    await expect.poll(() => viewerAt(b)).toBe('nobody');
  });

  it('is known to a replica that missed it when it is connected again', async () => {
    const { redis, b, viewerAt, signOut } = await startSignedIn();
    await viewerAt(b);
    // Both lose their connections, so the first one that is back publishes without a listener.
    await redis.client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');

    await signOut();

    await expect.poll(() => viewerAt(b)).toBe('nobody');
  });
});

it('callers of two replicas leave nothing in Redis that reveals them, their tokens or their data', async () => {
  const env = { IDENTITY: 'user', CACHE_INSTANCES_MS: '3600000' };
  const { redis, a, b } = await startPair(env);
  const heard = await redis.listenToAll();
  const headers = await signInAs(a.url, 'demo');
  const look = '{ instance(formId: "supplier", instanceId: 1) { value(field: "name") } }';
  const { data } = await executeAs(a.url, look, headers);

  await executeAs(
    b.url,
    'mutation { updateInstance(input: { formId: "supplier", instanceId: 1, values: { name: "New name" } }) { __typename } }',
    headers,
  );
  await executeAs(a.url, look, headers);
  await expect.poll(() => heard.length).toBeGreaterThan(0);

  const all = [...heard, ...(await redis.dump())].join('\n');
  const token = headers.authorization.replace('Bearer ', '');
  for (const secret of [data.instance.value, 'New name', 'supplier', 'demo', token])
    expect(all).not.toContain(secret);
  expect(all).not.toMatch(/idInstance|getForm/);
});

describe('the token of two replicas', () => {
  /** Starts two gateways whose platform numbers its tokens, and may refuse the first one. */
  async function startIssuer() {
    const state = { issued: 0, isFirstRefused: false };
    const { url } = await startServer(({ target, headers }) => {
      if (target === '/v1.0/token') {
        state.issued++;
        return { status: 200, body: { access_token: `token-${state.issued}`, expires_in: 3600 } };
      }
      const isFirst = headers['authorization']?.includes('Bearer token-1');
      if (isFirst && state.isFirstRefused) return { status: 401 };
      return { status: 200, body: { idForm: target.slice(-1), name: 'Form' } };
    });
    return { ...(await startPair({ UPSTREAM_URL: url })), state };
  }
  const readNames = async (...sharers: readonly Sharer[]) => {
    const answers = sharers.map(({ execute }, index) =>
      execute(`{ form(formId: "${index}") { name } }`),
    );
    return (await Promise.all(answers)).map(({ data }) => data.form.name);
  };

  it('is issued once for both', async () => {
    const { names, state } = await whileShared(async () => {
      const pair = await startIssuer();
      return { ...pair, names: await readNames(pair.a, pair.b) };
    });

    expect(names).toEqual(['Form', 'Form']);
    expect(state.issued).toBe(1);
  });

  it('is renewed once for both when it is refused', async () => {
    const { names, state } = await whileShared(async () => {
      const pair = await startIssuer();
      const { a, b } = pair;
      await readNames(a, b);
      pair.state.isFirstRefused = true;
      return { ...pair, names: await readNames(a, b, a, b) };
    });

    expect(names).toEqual(['Form', 'Form', 'Form', 'Form']);
    expect(state.issued).toBe(2);
  });
});
