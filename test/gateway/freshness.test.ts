import { describe, expect, it } from 'vitest';

import { startCountedGateway, startGateway } from '../support/gateway.ts';
import { defineThings } from '../support/many-instances.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const THINGS = `{ instances(formId: "thing", first: 100) { nodes {
  value(field: "name") form { name } reference(field: "owner") { value(field: "name") }
} } }`;
const COLD = ['getFormIntances', 'getForm', 'getFormIntances'];

/** A platform whose 100 instances were made an hour ago, and what it answered, by status. */
async function startThings(env: Readonly<Record<string, string>>) {
  let agedMs = 3_600_000;
  const gateway = await startCountedGateway(env, {
    definitions: defineThings({ things: 100, owners: 10 }),
    now: () => Date.now() - agedMs,
  });
  agedMs = 0;
  return gateway;
}

describe('100 instances of one form, each with its form and one of 10 others, queried again and again', () => {
  it.each([
    ['by default the definition is fresh, and the lists are revalidated', {}, 2],
    ['with fresh instances no call is made', { CACHE_INSTANCES_MS: '60000' }, 0],
  ])('%s', async (_what, env, conditional) => {
    const { execute, calls, statuses } = await startThings(env);

    const cold = await execute(THINGS);
    expect(calls.splice(0)).toEqual(['getToken', ...COLD]);
    await execute(THINGS);
    calls.length = 0;
    statuses.length = 0;
    const warm = await execute(THINGS);

    expect(warm).toEqual(cold);
    expect(warm.data.instances.nodes).toHaveLength(100);
    expect(calls).toEqual(Array(conditional).fill('getFormIntances'));
    expect(statuses).toEqual(Array(conditional).fill(304));
  });
});

describe('every read of the interface', () => {
  it('is answered with a 304 by the sandbox when nothing has changed', async () => {
    const { execute, statuses } = await startThings({ CACHE_DEFINITIONS_MS: '0' });
    const all = `{
      form(formId: "thing") { name } forms { totalCount }
      instance(formId: "thing", instanceId: 1) { values } instances(formId: "owner") { totalCount }
    }`;

    const cold = await execute(all);
    await execute(all);
    statuses.length = 0;

    expect(await execute(all)).toEqual(cold);
    expect(statuses).toEqual([304, 304, 304, 304]);
  });

  it('supports conditional requests for a rule too, although it is a PUT', async () => {
    let agedMs = 3_600_000;
    const { execute, statuses } = await startCountedGateway(
      { CACHE_DEFINITIONS_MS: '0' },
      { now: () => Date.now() - agedMs },
    );
    agedMs = 0;
    const rule = '{ rule(component: "approval-level", version: "1.0") { parameters { name } } }';

    const cold = await execute(rule);
    statuses.length = 0;

    expect(await execute(rule)).toEqual(cold);
    expect(statuses).toEqual([304]);
  });
});

describe('a mutation through the gateway', () => {
  it('is visible to the next read, however long instances stay fresh', async () => {
    const { execute } = await startThings({ CACHE_INSTANCES_MS: '60000' });
    const look = '{ instance(formId: "owner", instanceId: 1) { value(field: "name") } }';
    await execute(look);
    await execute('{ instances(formId: "owner", first: 1) { nodes { value(field: "name") } } }');

    await execute(
      'mutation { updateInstance(input: { formId: "owner", instanceId: 1, values: { name: "new" } }) { __typename } }',
    );

    expect((await execute(look)).data.instance).toEqual({ value: 'new' });
    expect(
      (await execute('{ instances(formId: "owner", first: 1) { nodes { value(field: "name") } } }')).data.instances
        .nodes,
    ).toEqual([{ value: 'new' }]);
  });
});

describe('a response from a stale copy', () => {
  it('is marked as stale, and a current one is not', async () => {
    let isDown = false;
    const { env } = await scriptPlatform(() =>
      isDown ? { status: 503 } : { body: { idInstance: 1, values: { n: 1 } } },
    );
    const gateway = await startGateway({ ...env, STALE_IF_ERROR_MS: '600000', CACHE_INSTANCES_MS: '0' });
    const look = '{ instance(formId: "a", instanceId: 1) { value(field: "n") } }';

    const well = await gateway.execute(look);
    isDown = true;
    const ill = await gateway.execute(look);

    expect(well).toEqual({ status: 200, data: { instance: { value: 1 } } });
    expect(ill).toEqual({
      ...well,
      extensions: { stale: [{ operation: 'getFormIntance', ageMs: expect.any(Number) }] },
    });
  });
});
