import { assert, asyncProperty, gen, pre } from 'fast-check';
import { buildSchema } from 'graphql';
import { afterAll, expect, it } from 'vitest';

import { makeDocument } from '../../compare/support/random-document.ts';
import { DOCUMENTS } from '../../compare/support/settings.ts';
import { startCountedGateway } from '../../support/gateway.ts';
import { countPlanned, planOf } from '../../support/plan.ts';
import { writeDialect } from '../../support/write-dialect.ts';

const { url, close } = await startCountedGateway({
  TYPED_FORMS: '*',
  TYPED_RULES: 'approval-level@1.0',
});
afterAll(close);

it.each([
  ['by lists of ids', {}],
  ['one by one', { search: { operators: { IN: null } } }],
])(
  'the cost of a typed operation bounds the actual calls from above, %s',
  async (_how, dialect) => {
    const gateway = await startCountedGateway({
      TYPED_FORMS: '*',
      COST_MAX_CALLS: '1000000',
      CACHE_DEFINITIONS_MS: '0',
      // Costs leave out the calls that find out how long the platform's pages are.
      UPSTREAM_DIALECT: writeDialect({ ...dialect, list: { maxPageSize: 100 } }),
    });
    const schema = buildSchema(await (await fetch(`${gateway.url}/schema.graphql`)).text());

    let made = 0;
    const property = asyncProperty(gen(), async (g) => {
      const { query, variables } = makeDocument(schema, {}, g);
      const plan = await planOf(gateway.url, query, variables);
      // A random operation may be beyond the limits.
      pre(plan !== undefined && plan.fields.most <= plan.fields.allowed);
      gateway.calls.length = 0;

      await gateway.execute(query, variables);

      made += gateway.calls.length;
      expect(countPlanned(gateway.calls)).toBeLessThanOrEqual(plan.calls.most);
    });

    await assert(property, { numRuns: Math.ceil(DOCUMENTS / 10), endOnFailure: true });

    expect(made).toBeGreaterThan(0);
  },
);

it.each([
  ['{ suppliers(first: 100) { nodes { name } } }', 1],
  ['{ supplier(instanceId: "1") { name } }', 1],
  ['{ a: supplier(instanceId: "1") { name } b: supplier(instanceId: "2") { name } }', 1],
  [
    '{ purchaseRequests(first: 50) { nodes { supplier { name } requester { manager { name } } } } }',
    4,
  ],
  ['{ suppliers(first: 30) { nodes { purchaseRequests(first: 5) { totalCount } } } }', 31],
])('the cost of %s is %i calls', async (query, most) => {
  expect((await planOf(url, query)).calls).toMatchObject({ most });
});

it.each([
  [
    'createSupplier(input: { values: { name: "Acme", country: AT, active: true } }) { instance { id name } }',
    'createInstance(input: { formId: "supplier", values: {} }) { instance { id name: value(field: "name") } }',
  ],
  [
    'updateSupplier(input: { instanceId: 1, values: { name: "A" } }) { instance { name } }',
    'updateInstance(input: { formId: "supplier", instanceId: 1, values: {} }) { instance { name: value(field: "name") } }',
  ],
  [
    'executeApprovalLevelV1_0(input: { parameters: {} }) { outputs { name } }',
    'executeRule(input: { component: "approval-level", version: "1.0", parameters: [] }) { outputs { name } }',
  ],
])('a typed mutation %s costs as much as the generic one', async (typed, generic) => {
  const plan = await planOf(url, `mutation { change: ${typed} }`);

  expect(plan).toEqual(await planOf(url, `mutation { change: ${generic} }`));
  expect(plan).toHaveProperty('steps.0.field', 'change');
});
