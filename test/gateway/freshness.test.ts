import { describe, expect, it } from 'vitest';

import { startAgedGateway } from '../support/aged-gateway.ts';
import { startCountedGateway, startGateway } from '../support/gateway.ts';
import { limits } from '../support/limits.ts';
import { defineThings } from '../support/many-instances.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const THINGS = `{ instances(formId: "thing", first: 100) { nodes {
  value(field: "name") form { name } reference(field: "owner") { value(field: "name") }
} } }`;

const LOOK = '{ instance(formId: "supplier", instanceId: 1) { value(field: "name") } }';
it.each([
  ['by default the definition is fresh, and the lists are revalidated', {}, 2],
  ['with fresh instances no call is made', { CACHE_INSTANCES_MS: '60000' }, 0],
])(
  '100 instances, each with its form and one of 10 references, cost a list, a form and a list of references; afterwards %s',
  async (_what, env, conditional) => {
    const definitions = defineThings({ things: 100, owners: 10 });
    const { execute, calls, statuses } = await startAgedGateway(env, definitions);

    const cold = await execute(THINGS);
    expect(calls.splice(0)).toEqual(['getToken', 'getFormIntances', 'getForm', 'getFormIntances']);
    await execute(THINGS);
    calls.length = 0;
    statuses.length = 0;
    const warm = await execute(THINGS);

    expect(cold.data.instances.nodes).toHaveLength(100);
    expect(cold.data.instances.nodes[57]).toEqual({
      value: 'thing 57',
      form: { name: 'Thing' },
      reference: { value: 'owner 7' },
    });
    expect(warm).toEqual(cold);
    expect(calls).toEqual(Array(conditional).fill('getFormIntances'));
    expect(statuses).toEqual(Array(conditional).fill(304));
  },
);

it('every read of the interface is answered with a 304 when nothing has changed, a rule’s PUT too', async () => {
  const { execute, statuses } = await startAgedGateway({ CACHE_DEFINITIONS_MS: '0' });
  const all = `{
    form(formId: "supplier") { name } forms { totalCount }
    instance(formId: "supplier", instanceId: 1) { values } instances(formId: "employee") { totalCount }
    rule(component: "approval-level", version: "1.0") { parameters { name } }
  }`;

  const cold = await execute(all);
  await execute(all);
  statuses.length = 0;

  expect(await execute(all)).toEqual(cold);
  expect(statuses).toEqual([304, 304, 304, 304, 304]);
});

describe('a change by others', () => {
  const LIST =
    '{ instances(formId: "supplier", where: [{ field: "idInstance", operator: EQ, value: 1 }]) { nodes { value(field: "name") } } }';

  /** A gateway before a platform with the test's clock, on which another client writes. */
  async function startWithOther() {
    let nowMs = 1_800_000_000_000;
    const { dataOf, origin, statuses } = await startCountedGateway({}, { now: () => nowMs });
    const own = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
    const other = await startGateway({ UPSTREAM_URL: origin, ...own });
    await dataOf(LOOK);
    const rename = (name: string) =>
      other.dataOf(
        `mutation { updateInstance(input: { formId: "supplier", instanceId: 1, values: { name: "${name}" } }) { __typename } }`,
      );
    /**
     * Moves the clock, and returns the values of a read and a list with the statuses of their
     * calls.
     */
    const look = async (passedMs = 0) => {
      nowMs += passedMs;
      statuses.length = 0;
      const { instance } = await dataOf(LOOK);
      const { instances } = await dataOf(LIST);
      return [instance.value, instances.nodes[0].value, ...statuses];
    };
    return { rename, look };
  }

  it('is visible also within the second of the one before, despite conditional requests', async () => {
    const { rename, look } = await startWithOther();

    await rename('one');
    expect(await look()).toEqual(['one', 'one', 200, 200]);
    await look(700);
    await rename('two');

    expect(await look()).toEqual(['two', 'two', 200, 200]);
  });

  it('is followed by 304s once two seconds have passed', async () => {
    const { rename, look } = await startWithOther();
    await rename('one');

    for (const passedMs of [0, 1_000, 1_000])
      expect(await look(passedMs)).toEqual(['one', 'one', 200, 200]);
    expect(await look(1_000)).toEqual(['one', 'one', 304, 304]);
  });
});

it('a copy is served for a failing read where that is set, marked as stale, and else the error', async () => {
  let isDown = false;
  const { env } = await scriptPlatform(() =>
    isDown ? { status: 503 } : { body: { idInstance: 1, values: { name: 'A' } } },
  );
  const usual = await startGateway(env);
  const setting = { STALE_IF_ERROR_MS: '600000', CACHE_INSTANCES_MS: '0' };
  const lenient = await startGateway({ ...env, ...setting });

  const data = { instance: { value: 'A' } };
  for (const { dataOf } of [usual, lenient]) expect(await dataOf(LOOK)).toEqual(data);
  isDown = true;

  expect((await usual.execute(LOOK)).errors).toMatchObject([
    { extensions: { code: 'UPSTREAM_ERROR' } },
  ]);
  expect(await lenient.execute(LOOK)).toEqual({
    status: 200,
    data,
    extensions: { stale: [{ operation: 'getFormIntance', ageMs: expect.any(Number) }] },
  });
});

it('the cache stays within its limit and evicts the least recently used entry', async () => {
  const { execute, calls } = await startCountedGateway({
    ...limits({ cacheBytes: 16_384 }),
    CACHE_INSTANCES_MS: '3600000',
  });
  const read = (id: number) =>
    execute(`{ instance(formId: "expense", instanceId: ${id}) { values } }`);
  const ids = Array.from({ length: 30 }, (_, index) => index + 1);
  for (const id of ids) await read(id);
  calls.length = 0;

  // Backwards, so that re-reading an entry evicts only later ones.
  for (const id of ids.toReversed()) await read(id);

  const known = ids.length - calls.length;
  expect(known).toBeGreaterThan(1);
  expect(known).toBeLessThan(16_384 / 900);
});
