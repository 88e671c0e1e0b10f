import { describe, expect, it } from 'vitest';

import { writeFolder } from '../../support/folder.ts';
import { startCountedGateway } from '../../support/gateway.ts';
import { callersWith, subscribe } from './support.ts';

const OWN = `
export default {
  typeDefs: 'extend interface Instance { asCaller: String }',
  resolvers: { Instance: { asCaller: (_source, _args, { caller }) => caller.name } },
};`;
const NAMES = ['ann', 'bob', 'zoe'];

/** A subscription to the suppliers of a name, and a field of an extension that depends on the viewer. */
const named = (name: string) => `subscription {
  instances(formId: "supplier", where: [{ field: "name", operator: EQ, value: "${name}" }]) { nodes { asCaller value(field: "country") } }
}`;

async function start() {
  const gateway = await startCountedGateway({
    EXTENSIONS: writeFolder({ 'own.js': OWN }),
    METRICS_PORT: '0',
    ...callersWith(...NAMES),
  });
  const open = (query: string) =>
    Promise.all(NAMES.map((name) => subscribe(gateway.url, query, { headers: { 'x-api-key': name } })));
  const create = (name: string, country: string) =>
    fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'ann' },
      body: JSON.stringify({
        query: `mutation { createInstance(input: {
          formId: "supplier", values: { name: "${name}", country: "${country}", active: true }
        }) { instance { id } } }`,
      }),
    });
  const operations = async () => {
    const text = await (await fetch(String(gateway.metricsUrl))).text();
    return Number(/^caseway_live_operations (\d+)$/m.exec(text)?.[1]);
  };
  return { open, create, operations };
}

describe('equal subscriptions of several viewers', () => {
  it('run for each of them where a field of an extension depends on the viewer', async () => {
    const { open, create, operations } = await start();
    await create('Same', 'PT');
    const streams = await open(named('Same'));
    const first = await Promise.all(streams.map((stream) => stream.next()));
    expect(first.map(({ data }) => data.instances.nodes)).toEqual(NAMES.map((asCaller) => [{ asCaller, value: 'PT' }]));
    expect(await operations()).toBe(3);

    await create('Same', 'DE');

    const second = await Promise.all(streams.map((stream) => stream.next()));
    expect(second.map(({ data }) => data.instances.nodes.length)).toEqual([2, 2, 2]);
    for (const [index, stream] of streams.entries()) {
      for (const other of NAMES.filter((_, at) => at !== index)) expect(stream.text()).not.toContain(other);
    }
  });
});
