const { startGateway } = require('caseway/testing');

let gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { COST_MAX_CALLS: '10' } });
}, 30_000);
afterEach(() => gateway.reset());
afterAll(() => gateway.close());

/** Stands in for the client of a frontend. */
async function ask(query) {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

test('a list with its suppliers is two calls', async () => {
  const { data } = await ask(
    '{ purchaseRequests(first: 5) { nodes { title supplier { name } } } }',
  );

  expect(data.purchaseRequests.nodes).toHaveLength(5);
  expect((await gateway.calls()).map(({ operation }) => operation)).toEqual([
    'getFormIntances',
    'getFormIntances',
  ]);
});

test('a change whose response is lost has an unknown outcome', async () => {
  await gateway.fail('deleteFormIntance', { with: 'lost', times: 1 });

  const { errors } = await ask(
    'mutation { deleteExpense(input: { instanceId: 1 }) { deletedId } }',
  );

  expect(errors[0].extensions.code).toBe('OUTCOME_UNKNOWN');
});
