import { describe, expect, it, onTestFinished } from 'vitest';
import { delayPlatform } from '../support/delayed-platform.ts';
import { startCountedGateway, startGateway } from '../support/gateway.ts';
import { defineThings } from '../support/many-instances.ts';

const THINGS = `{ instances(formId: "thing", first: 100) { nodes {
  value(field: "name") form { name } reference(field: "owner") { value(field: "name") }
} } }`;
const ALWAYS_FRESH = { CACHE_INSTANCES_MS: '3600000' };
const RENAME =
  'mutation { updateInstance(input: { formId: "thing", instanceId: 11, values: { name: "new" } }) { __typename } }';

/** A gateway that has executed the query twice, so that it is prepared, over 100 instances that are an hour old. */
async function startAsked(env: Readonly<Record<string, string>> = {}) {
  let agedMs = 3_600_000;
  const gateway = await startCountedGateway(
    { ...env },
    { definitions: defineThings({ things: 100, owners: 10 }), now: () => Date.now() - agedMs },
  );
  agedMs = 0;
  for (const _ of [1, 2, 3]) await gateway.execute(THINGS);
  gateway.calls.length = 0;
  gateway.statuses.length = 0;
  return gateway;
}

describe('a repeated query', () => {
  it('makes no call while all its data is fresh, and returns the same bytes', async () => {
    const { execute, calls, url } = await startAsked(ALWAYS_FRESH);
    const expected = await execute(THINGS);
    const text = async () => {
      const headers = { 'content-type': 'application/json' };
      return (
        await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: THINGS }) })
      ).text();
    };

    const texts = [await text(), await text()];

    expect(calls).toEqual([]);
    expect(texts[1]).toBe(texts[0]);
    expect({ status: 200, ...JSON.parse(texts[0] ?? '') }).toEqual(expected);
  });

  it('makes only conditional calls where data must be revalidated', async () => {
    const { execute, calls, statuses } = await startAsked({ CACHE_DEFINITIONS_MS: '0' });

    const { data } = await execute(THINGS);

    expect(data.instances.nodes[57]).toEqual({
      value: 'thing 57',
      form: { name: 'Thing' },
      reference: { value: 'owner 7' },
    });
    expect(calls.toSorted()).toEqual(['getForm', 'getFormIntances', 'getFormIntances']);
    expect(statuses).toEqual([304, 304, 304]);
  });

  it('returns changes made meanwhile through the gateway', async () => {
    const { execute } = await startAsked(ALWAYS_FRESH);

    await execute(RENAME);
    const { data } = await execute(THINGS);

    expect(data.instances.nodes[10].value).toBe('new');
  });

  it('returns changes made meanwhile by others', async () => {
    const { execute, origin } = await startAsked();
    const other = await startGateway({ UPSTREAM_URL: origin, UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' });
    onTestFinished(other.close);

    await other.execute(RENAME);
    const { data } = await execute(THINGS);

    expect(data.instances.nodes[10].value).toBe('new');
  });
});

describe('equal queries in flight', () => {
  /** A gateway that has executed the query , with a platform that delays every GET from now on. */
  async function startHeld() {
    const { origin } = await startCountedGateway({}, { definitions: defineThings({ things: 20, owners: 5 }) });
    const held = await delayPlatform(origin);
    const credentials = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
    const { execute, close } = await startGateway({ UPSTREAM_URL: held.url, ...credentials });
    onTestFinished(close);
    held.release();
    for (const _ of [1, 2, 3]) await execute(THINGS);
    held.hold();
    const before = held.count();
    return { execute, held, asked: () => held.count() - before };
  }

  it('run once', async () => {
    const { execute, held, asked } = await startHeld();
    const answers = Array.from({ length: 20 }, () => execute(THINGS));
    await held.firstRequest;
    // What came before these has been received by the time that they are answered.
    for (let turn = 0; turn < 5; turn++) await execute('{ __typename }');
    held.release();

    const [first, ...others] = await Promise.all(answers);

    expect(first?.data.instances.nodes).toHaveLength(20);
    for (const answer of others) expect(answer).toEqual(first);
    expect(asked()).toBe(2);
  });

  it('run separately when a write came in between', async () => {
    const { execute, held, asked } = await startHeld();
    const before = execute(THINGS);
    await held.firstRequest;

    await execute(RENAME);
    const afterwards = execute(THINGS);
    await expect.poll(asked).toBe(2);
    held.release();

    expect((await before).data).toBeDefined();
    expect((await afterwards).data.instances.nodes[10].value).toBe('new');
  });
});
