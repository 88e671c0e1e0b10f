import { expect, it } from 'vitest';

import { startCountedGateway, startGateway } from '../support/gateway.ts';

const LOOK = '{ instance(formId: "supplier", instanceId: 1) { value(field: "name") } }';
const LIST =
  '{ instances(formId: "supplier", where: [{ field: "idInstance", operator: EQ, value: 1 }]) { nodes { value(field: "name") } } }';
const RENAME = `mutation ($name: String!) {
  updateInstance(input: { formId: "supplier", instanceId: 1, values: { name: $name } }) { __typename }
}`;

/** A platform with the test's clock, its gateway, and another client that writes to the platform. */
async function startWithOther() {
  let nowMs = Date.UTC(2026, 0, 1, 12, 0, 0, 100);
  const { execute, origin, statuses } = await startCountedGateway({}, { now: () => nowMs });
  const own = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
  const other = await startGateway({ UPSTREAM_URL: origin, ...own });
  await execute(LOOK);
  return {
    pass(ms: number) {
      nowMs += ms;
    },
    rename: (name: string) => other.execute(RENAME, { name }),
    /** What a read and a list show, and by which statuses they were answered. */
    async look() {
      statuses.length = 0;
      const { data } = await execute(LOOK);
      const { nodes } = (await execute(LIST)).data.instances;
      return [data.instance.value, nodes[0].value, ...statuses];
    },
  };
}

it('two changes by others within one second are both visible, despite conditional requests', async () => {
  const { pass, rename, look } = await startWithOther();

  await rename('one');
  const first = await look();
  pass(700);
  await rename('two');
  const second = await look();

  expect(first).toEqual(['one', 'one', 200, 200]);
  expect(second).toEqual(['two', 'two', 200, 200]);
});

it('an unchanged record is confirmed by a 304 once two seconds have passed', async () => {
  const { pass, rename, look } = await startWithOther();
  await rename('one');

  const seen = [];
  for (const ms of [0, 1_000, 1_000, 1_000]) {
    pass(ms);
    seen.push(await look());
  }

  expect(seen).toEqual([
    ['one', 'one', 200, 200],
    ['one', 'one', 200, 200],
    ['one', 'one', 200, 200],
    ['one', 'one', 304, 304],
  ]);
});
