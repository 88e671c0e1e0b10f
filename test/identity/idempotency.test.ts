import { expect, it } from 'vitest';

import { callerKeys, executeAs, startForUsers, startService } from './support.ts';

const VALUES =
  '{ description: "Taxi", amount: 20, category: "travel", employee: 1, spentOn: "2026-01-01", reimbursed: false }';
const CREATE = `mutation { createInstance(input: { formId: "expense", values: ${VALUES}, idempotencyKey: "taxi" }) {
  instance { instanceId }
} }`;

/** Sends the same change as a caller and returns the id of the record. */
const create = async (url: string, headers: Readonly<Record<string, string>>): Promise<string> =>
  (await executeAs(url, CREATE, headers)).data.createInstance.instance.instanceId;

it('a mutation with an idempotency key has no second effect after the user signs in or out', async () => {
  const { url, calls, signedIn } = await startForUsers();
  const session = await signedIn('demo');
  const first = await create(url, session);
  await executeAs(url, 'mutation { signOut { viewer { name } } }', session);

  expect(await create(url, await signedIn('demo'))).toBe(first);
  expect(calls.filter((call) => call.includes('createFormIntance'))).toHaveLength(1);
});

it('a mutation with an idempotency key is a different one for another user', async () => {
  const { url, signedIn } = await startForUsers();

  expect(await create(url, await signedIn('demo'))).not.toBe(
    await create(url, await signedIn('clerk')),
  );
});

it('a mutation with an idempotency key is a different one for another API key', async () => {
  const { url } = await startService(callerKeys('web', 'mobile'));

  const web = await create(url, { 'x-api-key': 'web' });

  expect(await create(url, { 'x-api-key': 'mobile' })).not.toBe(web);
  expect(await create(url, { 'x-api-key': 'web' })).toBe(web);
});
