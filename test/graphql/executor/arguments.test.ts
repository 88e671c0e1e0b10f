import { buildSchema, GraphQLError, type GraphQLScalarType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';

import { compileCost } from '../../../src/graphql/admission/cost.ts';
import { selectOperation } from '../../../src/graphql/admission/selections.ts';
import { compileOperation } from '../../../src/graphql/executor.ts';
import { dialectOf } from '../../upstream/support/open.ts';

const PLACES = 100;
const many = (count: number, write: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => write(n)).join(' ');

/**
 * Computes the cost of a document and runs it, twice, and returns how often one of its literals was
 * read.
 */
async function countReads(text: string): Promise<number> {
  const schema = buildSchema('scalar Any type Query { node: Query value(of: [Any]): Int }');
  let reads = 0;
  Object.assign(schema.getType('Any') as GraphQLScalarType, { parseLiteral: () => ++reads });
  const { node, value } = schema.getQueryType()?.getFields() ?? {};
  Object.assign(node ?? {}, { resolve: () => ({}) });
  Object.assign(value ?? {}, { resolve: () => 1, extensions: { cost: () => ({}) } });

  const selected = selectOperation(schema, parse(text), undefined);
  if (selected instanceof GraphQLError) throw selected;
  const costOf = compileCost(selected);
  const run = compileOperation(selected, { maxLength: Infinity });
  for (const variables of [{ v: 1 }, { v: 2 }]) {
    costOf(variables, dialectOf());
    const { data } = await run({}, variables);
    expect(data?.match(/"value":1/g)).toHaveLength(PLACES);
  }
  return reads;
}

describe('arguments of a field in a fragment that is spread at a hundred places', () => {
  const SPREADS = many(PLACES, (n) => `n${n}: node { ...F }`);

  it('are read once by the cost and once by the executor, if they are literals', async () => {
    expect(await countReads(`{ ${SPREADS} } fragment F on Query { value(of: [1]) }`)).toBe(2);
  });

  it('are coerced again for each run if they have variables', async () => {
    expect(
      await countReads(`query ($v: Any) { ${SPREADS} } fragment F on Query { value(of: [1, $v]) }`),
    ).toBe(4);
  });
});
