import { assert, asyncProperty, gen, pre } from 'fast-check';
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';

import { startCountedGateway } from '../../support/gateway.ts';
import { planOf } from '../../support/plan.ts';
import { writeDialect } from '../../support/write-dialect.ts';
import { makeQuery } from './support/random-query.ts';

const LIMITS = {
  COST_MAX_CALLS: '1000000',
  CACHE_DEFINITIONS_MS: '0',
};

describe('the cost of a typed query', () => {
  it.each([
    ['by lists of ids', {}],
    ['one by one', { search: { operators: { IN: null } } }],
  ])('bounds the actual calls from above, %s', async (_how, dialect) => {
    const env = { ...LIMITS, TYPED_FORMS: '*', UPSTREAM_DIALECT: writeDialect(dialect) };
    const { url, execute, calls } = await startCountedGateway(env);
    const schema = buildSchema(await (await fetch(`${url}/schema.graphql`)).text());

    const property = asyncProperty(gen(), async (g) => {
      const { query, variables } = makeQuery(schema, g);
      const plan = await planOf(url, query, variables);
      // A random query may be beyond the limits.
      pre(plan !== undefined && plan.fields.most <= plan.fields.allowed);
      calls.length = 0;

      const { status } = await execute(query, variables);

      expect(status).toBe(200);
      expect(calls.length).toBeLessThanOrEqual(plan.calls.most);
    });

    await assert(property, { numRuns: 100, endOnFailure: true });
  });

  it.each([
    ['{ suppliers(first: 100) { nodes { name } } }', 1],
    ['{ supplier(instanceId: "1") { name } }', 1],
    ['{ a: supplier(instanceId: "1") { name } b: supplier(instanceId: "2") { name } }', 1],
    ['{ purchaseRequests(first: 50) { nodes { supplier { name } requester { manager { name } } } } }', 4],
    ['{ suppliers(first: 30) { nodes { purchaseRequests(first: 5) { totalCount } } } }', 31],
  ])('of %s is %i calls', async (query, most) => {
    const { url } = await startCountedGateway({ TYPED_FORMS: '*' });

    expect((await planOf(url, query)).calls).toMatchObject({ most });
  });
});
