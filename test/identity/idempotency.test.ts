import { hash } from 'node:crypto';
import { expect, it } from 'vitest';

import { executeAs, signIn, startPlatform, startWith } from './support.ts';

const sha256 = (key: string): string => hash('sha256', key, 'hex');

const VALUES =
  '{ description: "Taxi", amount: 20, category: "travel", employee: 1, spentOn: "2026-01-01", reimbursed: false }';
const CREATE = `mutation { createInstance(input: { formId: "expense", values: ${VALUES}, idempotencyKey: "taxi" }) {
  instance { instanceId }
} }`;

/** A gateway where users sign in; `create` is the same mutation for all of them. */
async function startForUsers() {
  const platform = await startPlatform();
  const url = await startWith({ UPSTREAM_URL: platform.url, IDENTITY: 'user' });
  const signedIn = async (name: string) => {
    const { data } = await executeAs(url, signIn(name));
    return { authorization: `Bearer ${data.signIn.sessionToken}` };
  };
  const create = async (session: Awaited<ReturnType<typeof signedIn>>): Promise<string> => {
    const { data, errors } = await executeAs(url, CREATE, session);
    if (errors) throw new Error(JSON.stringify(errors));
    return data.createInstance.instance.instanceId;
  };
  const created = () => platform.calls.filter((call) => call.includes('createFormIntance')).length;
  return { url, signedIn, create, created };
}

it('a mutation with an idempotency key has no second effect after the user signs in or out', async () => {
  const { url, signedIn, create, created } = await startForUsers();
  const session = await signedIn('demo');
  const first = await create(session);
  await executeAs(url, 'mutation { signOut { viewer { name } } }', session);

  const second = await create(await signedIn('demo'));

  expect(second).toBe(first);
  expect(created()).toBe(1);
});

it('a mutation with an idempotency key is a different one for another user', async () => {
  const { signedIn, create, created } = await startForUsers();

  const ids = [await create(await signedIn('demo')), await create(await signedIn('clerk'))];

  expect(new Set(ids)).toHaveLength(2);
  expect(created()).toBe(2);
});

it('a mutation with an idempotency key is a different one for another API key', async () => {
  const platform = await startPlatform();
  const url = await startWith({
    ...{ UPSTREAM_URL: platform.url, UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo', CALLER_AUTH: 'key' },
    CALLER_KEYS: ['web', 'mobile'].map((name) => `${name}:${sha256(name)}`).join(),
  });
  const create = async (apiKey: string): Promise<string> =>
    (await executeAs(url, CREATE, { 'x-api-key': apiKey })).data.createInstance.instance.instanceId;

  const ids = [await create('web'), await create('mobile'), await create('web')];

  expect(new Set(ids)).toHaveLength(2);
  expect(ids[2]).toBe(ids[0]);
});
