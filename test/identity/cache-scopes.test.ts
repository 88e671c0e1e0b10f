import { describe, expect, it } from 'vitest';

import { executeAs, READ, signIn, startPlatform, startWith } from './support.ts';

const LOOK = '{ instance(formId: "supplier", instanceId: 1) { value(field: "name") } }';
const LIST = '{ instances(formId: "supplier", first: 1) { nodes { value(field: "name") } } }';
const RENAME =
  'mutation { updateInstance(input: { formId: "supplier", instanceId: 1, values: { name: "New" } }) { __typename } }';
/** Nothing expires during the test, so a change that is visible must have been invalidated. */
const FOR_AN_HOUR = { CACHE_INSTANCES_MS: '3600000' };

/** A gateway where these users have signed in. `calls` are those since then, by user. */
async function startForUsers(names: readonly string[], env: Readonly<Record<string, string>>) {
  const { url: UPSTREAM_URL, calls } = await startPlatform();
  const url = await startWith({ UPSTREAM_URL, IDENTITY: 'user', ...env });
  const users = [];
  for (const name of names) {
    const { data } = await executeAs(url, signIn(name));
    const headers = { authorization: `Bearer ${data.signIn.sessionToken}` };
    users.push((query: string) => executeAs(url, query, headers));
  }
  calls.length = 0;
  return { users, calls };
}

describe('a write by one caller', () => {
  it('is visible to the next read of another, however long cached data is fresh', async () => {
    const { users, calls } = await startForUsers(['demo', 'reader'], FOR_AN_HOUR);
    const [writer, reader] = users;
    for (const query of [LOOK, LIST, LOOK, LIST]) await reader?.(query);
    const before = calls.splice(0);

    await writer?.(RENAME);
    const after = [await reader?.(LOOK), await reader?.(LIST)];

    expect(before).toEqual(['reader getFormIntance 200', 'reader getFormIntances 200']);
    expect(after.map((answer) => answer?.data)).toEqual([
      { instance: { value: 'New' } },
      { instances: { nodes: [{ value: 'New' }] } },
    ]);
  });
});

describe('forms cached for one caller', () => {
  it('are read again for another', async () => {
    const { users, calls } = await startForUsers(['demo', 'reader'], {});
    const [one, other] = users;

    await one?.(READ);
    await other?.('{ forms(first: 1) { totalCount } }');
    const { data } = (await other?.(READ)) ?? {};

    expect(data).toEqual({ form: { name: 'Supplier' } });
    expect(calls).toEqual(['demo getForm 200', 'reader getForms 200', 'reader getForm 200']);
  });
});
