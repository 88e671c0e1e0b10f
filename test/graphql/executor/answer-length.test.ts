import { buildSchema, GraphQLError, parse } from 'graphql';
import { describe, expect, it } from 'vitest';

import { compileOperation } from '../../../src/graphql/executor/index.ts';

const schema = buildSchema(
  'type Query { word: String, words: [String], soon: String, rows: [Row] } type Row { word: String }',
);
let resolved = 0;
const rows = Array(1_000).fill({
  word: () => {
    resolved++;
    return 'hello';
  },
});
const RESOLVERS = {
  word: () => 'hello',
  words: () => Array(4).fill('hello'),
  soon: async () => 'hello',
  rows: () => rows,
};
for (const [name, resolve] of Object.entries(RESOLVERS)) {
  Object.assign(schema.getQueryType()?.getFields()[name] ?? {}, { resolve });
}

/** Runs an operation with room for so many characters. */
function run(query: string, maxLength: number) {
  const compiled = compileOperation(schema, parse(query), undefined, { maxLength });
  if (compiled instanceof GraphQLError) throw compiled;
  return compiled.run({}, {});
}

describe('the length of an answer', () => {
  it.each([
    ['a value', '{ word }'],
    ['a value by two aliases', '{ a: word b: word }'],
    ['a list', '{ words }'],
    ['a promised value', '{ word soon }'],
    ['the schema', '{ __schema { types { name } } }'],
    ['values beside the schema', '{ __type(name: "Row") { name } word }'],
    ['names of types', '{ __typename rows { __typename } }'],
  ])('is what its names and values have together, and may be as much as is allowed: %s', async (_what, query) => {
    const { data = '' } = await run(query, Infinity);

    const fitting = await run(query, data.length);
    const tooLong = await run(query, Math.floor(data.length / 2));

    expect(fitting).toEqual({ data, errors: [] });
    expect(tooLong).toMatchObject({ data: 'null', errors: [{ extensions: { code: 'ANSWER_TOO_LARGE' } }] });
  });

  it('counts long aliases', async () => {
    const { errors } = await run(`{ rows { ${'a'.repeat(1_000)}: word } }`, 500_000);

    expect(errors).toMatchObject([{ extensions: { code: 'ANSWER_TOO_LARGE' } }]);
  });

  it('ends the work once it is too much', async () => {
    resolved = 0;

    await run('{ rows { word } }', 160);

    expect(resolved).toBeLessThan(20);
  });
});
