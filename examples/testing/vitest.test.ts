import { startGateway, type TestGateway } from 'caseway/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    records: {
      supplier: [
        { idInstance: 1, name: 'Alder Labs', country: 'DE', active: true },
        { idInstance: 2, name: 'Birch Works', country: 'IT', active: true },
      ],
    },
  });
});
afterEach(() => gateway.reset());
afterAll(() => gateway?.close());

/** Stands in for the client of a frontend. */
async function ask(query: string) {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return JSON.parse(await response.text());
}

const NAMES = '{ suppliers { nodes { name } } }';

it('reads the records of the test by one call', async () => {
  const { data } = await ask(NAMES);

  expect(data.suppliers.nodes).toEqual([{ name: 'Alder Labs' }, { name: 'Birch Works' }]);
  expect(await gateway.calls()).toHaveLength(1);
});

it('deletes a record', async () => {
  await ask('mutation { deleteSupplier(input: { instanceId: 1 }) { deletedId } }');

  const { data } = await ask(NAMES);

  expect(data.suppliers.nodes).toEqual([{ name: 'Birch Works' }]);
});

it('has all records again, and shows that the platform is down', async () => {
  const before = await ask(NAMES);
  await gateway.fail('getFormIntances', { with: 503 });

  const { data, errors } = await ask(NAMES);

  expect(before.data.suppliers.nodes).toHaveLength(2);
  expect(data).toEqual({ suppliers: null });
  expect(errors[0].extensions.code).toBe('UPSTREAM_ERROR');
});
