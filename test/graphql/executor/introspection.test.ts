import { execute, getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, it } from 'vitest';

import { compile, dataOf, newContext, schema } from './support/schema.ts';

const run = (text: string, variables = {}) => compile(schema, text)(newContext(), variables);

describe('introspection', () => {
  it('returns what graphql-js returns', async () => {
    const query = getIntrospectionQuery();

    const data = dataOf(await run(query));

    expect(data).toBe(JSON.stringify((await execute({ schema, document: parse(query) })).data));
  });

  it('fails only its own field when a variable is null where none is allowed', async () => {
    const { text, errors } = await run('query ($name: String = "A") { number a: __type(name: $name) { name } }', {
      name: null,
    });

    expect(dataOf({ text })).toBe('{"number":7,"a":null}');
    expect(errors).toMatchObject([{ path: ['a'], extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
