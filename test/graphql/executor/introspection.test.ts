import { execute, getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, it } from 'vitest';

import { compile, dataOf, newContext, schema } from './support/schema.ts';

const run = (text: string, variables = {}, isIntrospectable = true) =>
  compile(schema, text, isIntrospectable ? {} : { visibleTo: () => undefined })(newContext(), variables);

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

  it('returns an empty schema to callers who may not see it, beside the other fields', async () => {
    const text = `query ($name: String!) {
      s: __schema { queryType { name fields { name } } ...S }
      number
      ... on Query { a: __type(name: $name) { name } }
      __typename
    }
    fragment S on __Schema { mutationType { name } }`;

    const result = await run(text, { name: 'A' }, false);

    expect(dataOf(result)).toBe(
      '{"s":{"queryType":{"name":"Query","fields":[{"name":"_"}]},"mutationType":null},"number":7,"a":null,"__typename":"Query"}',
    );
    expect(result.errors).toEqual([]);
  });
});
