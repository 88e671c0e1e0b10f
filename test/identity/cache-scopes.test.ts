import { expect, it } from 'vitest';
import type { Env } from '../support/gateway.ts';
import { executeAs, READ, startForUsers } from './support.ts';

const LOOK = '{ instance(formId: "supplier", instanceId: 1) { value(field: "name") } }';
const LIST = '{ instances(formId: "supplier", first: 1) { nodes { value(field: "name") } } }';
const RENAME =
  'mutation { updateInstance(input: { formId: "supplier", instanceId: 1, values: { name: "New" } }) { __typename } }';

/** Starts a gateway and signs two users in. `calls` lists the later calls with their user. */
async function startForTwo(env: Env = {}) {
  const { url, calls, signedIn } = await startForUsers(env);
  const sessions = { demo: await signedIn('demo'), reader: await signedIn('reader') };
  calls.length = 0;
  const ask = async (name: keyof typeof sessions, query: string) =>
    (await executeAs(url, query, sessions[name])).data;
  return { ask, calls };
}

it('a write by one caller is visible to the next read of another, however long cached data is fresh', async () => {
  // Nothing expires during the test, so a change that is visible must have been invalidated.
  const { ask, calls } = await startForTwo({ CACHE_INSTANCES_MS: '3600000' });
  for (const query of [LOOK, LIST, LOOK, LIST]) await ask('reader', query);
  const before = calls.splice(0);

  await ask('demo', RENAME);

  expect(before).toEqual(['reader getFormIntance 200', 'reader getFormIntances 200']);
  expect(await ask('reader', LOOK)).toEqual({ instance: { value: 'New' } });
  expect(await ask('reader', LIST)).toEqual({ instances: { nodes: [{ value: 'New' }] } });
});

it('forms cached for one caller are read again for another', async () => {
  const { ask, calls } = await startForTwo();

  await ask('demo', READ);
  await ask('reader', '{ forms(first: 1) { totalCount } }');

  expect(await ask('reader', READ)).toEqual({ form: { name: 'Supplier' } });
  expect(calls).toEqual(['demo getForm 200', 'reader getForms 200', 'reader getForm 200']);
});
