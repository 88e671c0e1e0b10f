import { describe, expect, it } from 'vitest';

import { callerKeys, executeAs, READ, startForUsers, startService } from './support.ts';

const LOOK = '{ instance(formId: "supplier", instanceId: 1) { value(field: "name") } }';
const LIST = '{ instances(formId: "supplier", first: 1) { nodes { value(field: "name") } } }';
const RENAME =
  'mutation { updateInstance(input: { formId: "supplier", instanceId: 1, values: { name: "New" } }) { __typename } }';

describe('the cache', () => {
  /** Starts a gateway and signs two users in. `calls` lists the later calls with their user. */
  async function startForTwo(env = {}) {
    const { url, calls, signedIn } = await startForUsers(env);
    const sessions = { demo: await signedIn('demo'), reader: await signedIn('reader') };
    calls.length = 0;
    const execute = async (name: keyof typeof sessions, query: string) =>
      (await executeAs(url, query, sessions[name])).data;
    return { execute, calls };
  }

  it('shows a write by one caller to the next read of another, however long cached data is fresh', async () => {
    // Nothing expires during the test, so a change that is visible must have been invalidated.
    const { execute, calls } = await startForTwo({ CACHE_INSTANCES_MS: '3600000' });
    for (const query of [LOOK, LIST, LOOK, LIST]) await execute('reader', query);
    const before = calls.splice(0);

    await execute('demo', RENAME);

    expect(before).toEqual(['reader getFormIntance 200', 'reader getFormIntances 200']);
    expect(await execute('reader', LOOK)).toEqual({ instance: { value: 'New' } });
    expect(await execute('reader', LIST)).toEqual({ instances: { nodes: [{ value: 'New' }] } });
  });

  it('reads forms that it has for one caller again for another', async () => {
    const { execute, calls } = await startForTwo();

    await execute('demo', READ);
    await execute('reader', '{ forms(first: 1) { totalCount } }');

    expect(await execute('reader', READ)).toEqual({ form: { name: 'Supplier' } });
    expect(calls).toEqual(['demo getForm 200', 'reader getForms 200', 'reader getForm 200']);
  });
});

describe('a mutation with an idempotency key', () => {
  const VALUES =
    '{ description: "Taxi", amount: 20, category: "travel", employee: 1, spentOn: "2026-01-01", reimbursed: false }';
  const CREATE = `mutation { createInstance(input: { formId: "expense", values: ${VALUES}, idempotencyKey: "taxi" }) { instance { instanceId } } }`;

  /** Sends the same change as a caller and returns the id of the record. */
  const create = async (url: string, headers: Readonly<Record<string, string>>): Promise<string> =>
    (await executeAs(url, CREATE, headers)).data.createInstance.instance.instanceId;

  it('has no second effect after the user signs in or out, and is another one for another user', async () => {
    const { url, calls, signedIn } = await startForUsers();
    const session = await signedIn('demo');
    const first = await create(url, session);
    await executeAs(url, 'mutation { signOut { viewer { name } } }', session);

    expect(await create(url, await signedIn('demo'))).toBe(first);
    expect(calls.filter((call) => call.includes('createFormIntance'))).toHaveLength(1);
    expect(await create(url, await signedIn('clerk'))).not.toBe(first);
  });

  it('is a different one for another API key', async () => {
    const { url } = await startService(callerKeys('web', 'mobile'));

    const web = await create(url, { 'x-api-key': 'web' });

    expect(await create(url, { 'x-api-key': 'mobile' })).not.toBe(web);
    expect(await create(url, { 'x-api-key': 'web' })).toBe(web);
  });
});
