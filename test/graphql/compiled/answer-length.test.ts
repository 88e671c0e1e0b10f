import { buildSchema, parse } from 'graphql';
import { describe, expect, it } from 'vitest';

import { createCompiler } from '../../../src/graphql/compiled/index.ts';

const schema = buildSchema('type Query { word: String, words: [String], later: String }');
const RESOLVERS = { word: () => 'hello', words: () => Array(4).fill('hello'), later: async () => 'hello' };
for (const [name, resolve] of Object.entries(RESOLVERS)) {
  Object.assign(schema.getQueryType()?.getFields()[name] ?? {}, { resolve });
}

/** Runs an operation with room for so many characters. */
const run = (query: string, maxLength: number) =>
  createCompiler(schema, { maxLength }).compile(parse(query), undefined)?.run({}, {});

describe('the length of an answer', () => {
  it.each([
    ['one value', '{ word }', 7],
    ['one value by two aliases', '{ a: word b: word }', 14],
    ['a list', '{ words }', 28],
    ['what comes later', '{ word later }', 14],
  ])('is what its values have together, and may be as much as is allowed: %s', async (_what, query, length) => {
    const fitting = await run(query, length);
    const tooLong = await run(query, length - 1);

    expect(fitting?.errors).toEqual([]);
    expect(fitting?.data).toContain('hello');
    expect(tooLong).toMatchObject({ data: 'null', errors: [{ extensions: { code: 'ANSWER_TOO_LARGE' } }] });
  });
});
