import { execute, getIntrospectionQuery, parse } from 'graphql';
import { expect, it } from 'vitest';

import { createStringify, rememberIntrospection } from '../../src/graphql/known-introspection.ts';
import { createSchema } from '../../src/graphql/schema.ts';

const schema = createSchema();

/** Gives what answers a query, and how often something had to be executed for it. */
function createAnswering() {
  let executed = 0;
  const run = rememberIntrospection(async (args) => {
    executed++;
    return execute({ ...args, rootValue: { viewer: null } });
  });
  return {
    ask: (text: string, variableValues = {}) => run({ schema, document: parse(text), variableValues }),
    executed: () => executed,
  };
}

it('answers who asks for the schema again by what it answered before', async () => {
  const { ask, executed } = createAnswering();

  const [first, again] = [await ask(getIntrospectionQuery()), await ask(getIntrospectionQuery())];

  expect(again).toEqual(first);
  expect(first.data?.['__schema']).toBeDefined();
  expect(executed()).toBe(1);
});

it('tells questions apart by their variables', async () => {
  const { ask } = createAnswering();
  const query = 'query ($name: String!) { __type(name: $name) { name } }';

  expect((await ask(query, { name: 'Form' })).data).toEqual({ __type: { name: 'Form' } });
  expect((await ask(query, { name: 'Query' })).data).toEqual({ __type: { name: 'Query' } });
});

it('executes anew what asks for anything else as well, or fails', async () => {
  const { ask, executed } = createAnswering();

  for (const query of [
    '{ __schema { queryType { name } } viewer { name } }',
    'query ($a: Int!) { __typename @skip(if: $a) }',
  ]) {
    await ask(query);
    await ask(query);
  }

  expect(executed()).toBe(4);
});

it('keeps the latest questions alone', async () => {
  const { ask, executed } = createAnswering();
  const questions = ['Form', 'Link', 'Node', 'Rule', 'Case'].map((name) => `{ __type(name: "${name}") { name } }`);

  for (const question of [...questions, ...questions]) await ask(question);

  expect(executed()).toBe(10);
});

it('writes results as JSON with a line’s end, those that show the schema too', async () => {
  const write = createStringify();
  const data = { __schema: { types: [{ name: 'Form' }] } };

  const texts = [
    write({ data }),
    write({ data }),
    write({ data, extensions: { a: 1 } }),
    write({ data: { form: null } }),
  ];

  expect(texts).toEqual([
    '{"data":{"__schema":{"types":[{"name":"Form"}]}}}\n',
    '{"data":{"__schema":{"types":[{"name":"Form"}]}}}\n',
    '{"data":{"__schema":{"types":[{"name":"Form"}]}},"extensions":{"a":1}}\n',
    '{"data":{"form":null}}\n',
  ]);
});
