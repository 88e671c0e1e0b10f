import { expect, it } from 'vitest';

import { callerKeys } from '../../identity/support.ts';
import { writeFolder } from '../../support/folder.ts';
import { startLists, subscribe } from './support.ts';

const OWN = `
export default {
  typeDefs: 'extend interface Instance { asCaller: String }',
  resolvers: { Instance: { asCaller: (_source, _args, { caller }) => caller.name } },
};`;
const NAMES = ['ann', 'bob', 'zoe'];

it('equal subscriptions run for each viewer where a field of an extension depends on the viewer', async () => {
  const env = { EXTENSIONS: writeFolder({ 'own.js': OWN }), ...callerKeys(...NAMES) };
  const { url, change, remove, pass, figure } = await startLists(env);
  const query = 'subscription { instances(formId: "a") { nodes { asCaller } } }';
  const streams = await Promise.all(
    NAMES.map((name) => subscribe(url, query, { headers: { 'x-api-key': name } })),
  );
  const next = async () => {
    const results = await Promise.all(streams.map((stream) => stream.next()));
    return results.map(({ data }) => data.instances.nodes);
  };
  expect(await next()).toEqual(NAMES.map((asCaller) => [{ asCaller }]));
  expect(await figure('caseway_live_operations')).toBe(3);

  change('a', 2);
  await remove('a', { 'x-api-key': 'ann' });
  await pass(1_000);

  expect(await next()).toEqual(NAMES.map((asCaller) => [{ asCaller }, { asCaller }]));
});
