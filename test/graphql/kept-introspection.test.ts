import { buildSchema, type GraphQLSchema, parse } from 'graphql';
import { expect, it } from 'vitest';

import type { OperationContext } from '../../src/graphql/context.ts';
import { createPreparedOperations } from '../../src/graphql/operations.ts';

const DESCRIPTION = 'x'.repeat(1_000_000);
const schema = buildSchema(`"""${DESCRIPTION}""" type Query { id: ID }`);
const TYPES = '{ __schema { types { name description } } }';

/** Creates the context of a caller who may see the schema. */
const contextFor = (visible: GraphQLSchema | undefined) =>
  ({ scope: { permissions: { schemaOf: () => visible } } }) as unknown as OperationContext;
const PUBLIC = contextFor(schema);

/** Runs a query as a request does: it is prepared again if it is not kept. */
function createRun() {
  const operations = createPreparedOperations({ schema, isIntrospectable: true });
  return (text: string, context: OperationContext, variables = {}) => {
    const known = operations.get(text, undefined);
    const operation = known ?? operations.prepare(parse(text), text, undefined);
    if (operation instanceof Error) throw operation;
    return operation.run(context, variables);
  };
}

it('runs introspection once for a document', () => {
  const run = createRun();

  const first = run(TYPES, PUBLIC);

  expect(run(TYPES, PUBLIC)).toBe(first);
  expect(run(`${TYPES} #`, PUBLIC)).toEqual(first);
  expect(run(`${TYPES} #`, PUBLIC)).not.toBe(first);
});

it('keeps a result for each visible schema, and for each value of a variable', () => {
  const run = createRun();
  const other = contextFor(buildSchema('type Query { other: ID }'));
  const TYPE = 'query ($name: String!) { __type(name: $name) { fields { name } } }';

  const results = [
    run(TYPE, PUBLIC, { name: 'Query' }),
    run(TYPE, other, { name: 'Query' }),
    run(TYPE, contextFor(undefined), { name: 'Query' }),
    run(TYPE, PUBLIC, { name: 'Nothing' }),
  ];

  expect(results).toMatchObject([
    { data: '{"__type":{"fields":[{"name":"id"}]}}' },
    { data: '{"__type":{"fields":[{"name":"other"}]}}' },
    { data: '{"__type":null}' },
    { data: '{"__type":null}' },
  ]);
});

it('keeps results within the memory of all operations', () => {
  const run = createRun();
  const first = run(TYPES, PUBLIC);

  // Each has a million characters, and all together some 80 MB.
  for (let n = 0; n < 40; n++) run(`${TYPES} #${n}`, PUBLIC);

  expect(run(TYPES, PUBLIC)).toEqual(first);
  expect(run(TYPES, PUBLIC)).not.toBe(first);
});
