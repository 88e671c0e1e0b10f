import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';

import { compile, dataOf } from './support/schema.ts';

const schema = buildSchema(
  'type Query { nothing: String, nothings: [String], word: String, words: [String], soon: String, row: Row, rows: [Row] } type Row { word: String }',
);
let resolved = 0;
const rows = Array(1_000).fill({
  word: () => {
    resolved++;
    return 'hello';
  },
});
const RESOLVERS = {
  nothing: () => null,
  nothings: () => [null, undefined, null],
  word: () => 'hello',
  words: () => Array(4).fill('hello'),
  soon: async () => 'hello',
  row: () => rows[0],
  rows: () => rows,
};
for (const [name, resolve] of Object.entries(RESOLVERS)) {
  Object.assign(schema.getQueryType()?.getFields()[name] ?? {}, { resolve });
}

/** Runs an operation with room for so many characters. */
const run = (query: string, maxLength: number) => compile(schema, query, { maxLength })({});

describe('the length of a response', () => {
  it.each([
    ['a value', '{ word }', 7],
    ['a value by two aliases', '{ a: word b: word }', 16],
    ['a list and its separators', '{ words }', 32],
    ['a promised value', '{ word soon }', 14],
    ['the schema', '{ __type(name: "Row") { name kind } }', 13],
    ['values beside the schema', '{ __type(name: "Row") { name } word }', 12],
    ['null values', '{ nothing nothings }', 19],
    ['names of types', '{ __typename row { __typename } }', 12],
  ])('counts values and aliases, up to the limit: %s', async (_what, query, length) => {
    const fitting = await run(query, 10 * length);
    const tooLong = await run(query, length / 4);

    expect(fitting.errors).toEqual([]);
    expect(dataOf(fitting)).not.toBe('null');
    expect(tooLong).toMatchObject({ text: '{"data":null}\n', errors: [{ extensions: { code: 'ANSWER_TOO_LARGE' } }] });
  });

  it('counts long aliases', async () => {
    const { errors } = await run(`{ rows { ${'a'.repeat(1_000)}: word } }`, 500_000);

    expect(errors).toMatchObject([{ extensions: { code: 'ANSWER_TOO_LARGE' } }]);
  });

  it('is limited during introspection too, however deeply types are nested', async () => {
    const ofTypes = (inner: string) => `{ fields { type ${inner} } }`;
    const deep = ofTypes(ofTypes(ofTypes(ofTypes('{ kind name description }'))));

    const { errors } = await run(
      `{ __schema { types { fields { type { possibleTypes ${deep} } } } types ${deep} } }`,
      1_000,
    );

    expect(errors).toMatchObject([{ extensions: { code: 'ANSWER_TOO_LARGE' } }]);
  });

  it('ends execution once it exceeds the limit', async () => {
    resolved = 0;

    await run('{ rows { word } }', 100);

    expect(resolved).toBeLessThan(20);
  });
});
