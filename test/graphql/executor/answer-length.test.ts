import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';

import { compile } from './support/schema.ts';

const schema = buildSchema(
  `type Query {
    nothing: String, nothings: [String], word: String, words: [String], soon: String, escapes: String,
    row: Row, rows: [Row], json: JSON, numbers: [Float]
  }
  type Row { word: String, escapes: String }
  scalar JSON`,
);
const ESCAPES = '\u0001'.repeat(150);
let resolved = 0;
const rows = Array(1_000).fill({
  word: () => {
    resolved++;
    return 'hello';
  },
  escapes: () => {
    resolved++;
    return ESCAPES;
  },
});
const RESOLVERS = {
  nothing: () => null,
  nothings: () => [null, undefined, null],
  word: () => 'hello',
  words: () => Array(4).fill('hello'),
  soon: async () => 'hello',
  escapes: () => ESCAPES,
  row: () => rows[0],
  rows: () => rows,
  json: () => ({ list: [1, 22, [], {}, null, true], '"': 'a\nb\u0000', none: {} }),
  numbers: () => [0, 1.5e-7, 1e21],
};
for (const [name, resolve] of Object.entries(RESOLVERS)) {
  Object.assign(schema.getQueryType()?.getFields()[name] ?? {}, { resolve });
}

/** Runs an operation with a response limit of this number of characters. */
const run = (query: string, maxLength: number) => compile(schema, query, { maxLength })({});

describe('the length of a response', () => {
  it.each([
    ['a value', '{ word }'],
    ['a value by two aliases', '{ a: word b: word }'],
    ['a list and its separators', '{ words }'],
    ['a promised value', '{ word soon }'],
    ['the schema', '{ __type(name: "Row") { name kind } }'],
    ['values beside the schema', '{ __type(name: "Row") { name } word }'],
    ['null values', '{ nothing nothings }'],
    ['names of types', '{ __typename row { __typename } }'],
    ['a long text of escapes', '{ escapes }'],
    ['numbers, and what has to be escaped', '{ json numbers }'],
  ])('is counted exactly, up to the limit: %s', async (_what, query) => {
    const { data, errors } = await run(query, 1_000);
    const length = data?.length ?? 0;

    const fitting = await run(query, length);
    const tooLong = await run(query, length - 1);

    expect([fitting.data, errors]).toEqual([data, []]);
    expect(tooLong).toMatchObject({
      data: 'null',
      errors: [{ extensions: { code: 'ANSWER_TOO_LARGE' } }],
    });
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

  it.each([
    ['short texts', '{ rows { word } }', 1_150],
    ['long texts of escapes', '{ rows { escapes } }', 5_000],
  ])('ends execution once it exceeds the limit: %s', async (_what, query, maxLength) => {
    resolved = 0;

    // A thousand rows, and a few names and values.
    await run(query, maxLength);

    expect(resolved).toBeLessThan(15);
  });
});
