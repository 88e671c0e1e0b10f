import { describe, expect, it } from 'vitest';
import { delayPlatform } from '../support/delayed-platform.ts';
import { startCountedGateway, startGateway } from '../support/gateway.ts';
import { defineThings } from '../support/many-instances.ts';

const THINGS = `{ instances(formId: "thing", first: 100) { nodes {
  value(field: "name") form { name } reference(field: "owner") { value(field: "name") }
} } }`;

const count = (calls: readonly string[]) =>
  Object.fromEntries(
    Map.groupBy(calls, (call) => call)
      .entries()
      .map(([call, all]) => [call, all.length]),
  );

describe('100 instances of one form, each with its form and one of 10 others', () => {
  it('cost 3 calls: one list, one form, and one list for the others', async () => {
    const { execute, calls } = await startCountedGateway(
      {},
      { definitions: defineThings({ things: 100, owners: 10 }) },
    );

    const { data, errors } = await execute(THINGS);

    expect(errors).toBeUndefined();
    expect(data.instances.nodes).toHaveLength(100);
    expect(data.instances.nodes[57]).toEqual({
      value: 'thing 57',
      form: { name: 'Thing' },
      reference: { value: 'owner 7' },
    });
    expect(calls).toEqual(['getToken', 'getFormIntances', 'getForm', 'getFormIntances']);
  });
});

describe('200 equal operations at once', () => {
  it('cost one token call and one set of reads', async () => {
    const { calls, origin } = await startCountedGateway({}, { definitions: defineThings({ things: 20, owners: 5 }) });
    const held = await delayPlatform(origin);
    const gateway = await startGateway({
      UPSTREAM_URL: held.url,
      UPSTREAM_USERNAME: 'demo',
      UPSTREAM_PASSWORD: 'demo',
    });
    const operations = Array.from({ length: 200 }, () => gateway.execute(THINGS));
    await held.firstRequest;
    // Round trips that begin after all operations were sent: when they are through, so is the arrival of the others.
    for (let turn = 0; turn < 20; turn++) await gateway.execute('{ __typename }');

    held.release();
    const answers = await Promise.all(operations);
    await gateway.close();

    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(calls).toEqual(['getToken', 'getFormIntances', 'getForm', 'getFormIntances']);
  });

  it('each run when they are mutations', async () => {
    const { execute, calls } = await startCountedGateway({}, { definitions: defineThings({ things: 1, owners: 1 }) });
    const create =
      'mutation { createInstance(input: { formId: "owner", values: { name: "new" } }) { instance { instanceId } } }';

    const answers = await Promise.all(Array.from({ length: 20 }, () => execute(create)));

    expect(new Set(answers.map(({ data }) => data.createInstance.instance.instanceId)).size).toBe(20);
    expect(count(calls)).toEqual({ getToken: 1, createFormIntance: 20 });
  });
});

describe('a read that started before a write', () => {
  it('is not joined by later reads', async () => {
    const { calls, origin } = await startCountedGateway({}, { definitions: defineThings({ things: 1, owners: 1 }) });
    const held = await delayPlatform(origin);
    const own = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
    const gateway = await startGateway({ UPSTREAM_URL: held.url, ...own });
    const read = () => gateway.execute('{ instance(formId: "owner", instanceId: 1) { value(field: "name") } }');
    const before = read();
    await held.firstRequest;
    await gateway.execute(
      'mutation { updateInstance(input: { formId: "owner", instanceId: 1, values: { name: "new" } }) { __typename } }',
    );
    const after = read();
    for (let turn = 0; turn < 5; turn++) await gateway.execute('{ __typename }');

    held.release();
    await before;

    expect((await after).data.instance).toEqual({ value: 'new' });
    expect(count(calls)).toMatchObject({ getFormIntance: 2 });
  });
});

describe('the same list twice in one operation', () => {
  it('costs one call, and its rows are not read again one by one', async () => {
    const { execute, calls } = await startCountedGateway({}, { definitions: defineThings({ things: 5, owners: 1 }) });

    await execute(`{
      a: instances(formId: "thing") { nodes { instanceId reference(field: "owner") { instanceId } } }
      b: instances(formId: "thing") { totalCount }
    }`);

    expect(calls).toEqual(['getToken', 'getFormIntances', 'getForm', 'getFormIntance']);
  });
});
