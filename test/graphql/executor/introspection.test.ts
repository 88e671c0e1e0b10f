import { execute, GraphQLError, getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, it } from 'vitest';

import { compileOperation } from '../../../src/graphql/executor/index.ts';
import { newContext, schema } from './support/schema.ts';

async function run(text: string, variables = {}, isIntrospectable = true) {
  const compiled = compileOperation(schema, parse(text), undefined, { maxLength: Infinity, isIntrospectable });
  if (compiled instanceof GraphQLError) throw compiled;
  return compiled.run(newContext(), variables);
}

describe('introspection', () => {
  it('returns what graphql-js returns', async () => {
    const query = getIntrospectionQuery();

    const { data } = await run(query);

    expect(data).toBe(JSON.stringify((await execute({ schema, document: parse(query) })).data));
  });

  it('fails only its own field when a variable is null where none is allowed', async () => {
    const { data, errors } = await run('query ($name: String = "A") { number a: __type(name: $name) { name } }', {
      name: null,
    });

    expect(data).toBe('{"number":7,"a":null}');
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

    const { data, errors } = await run(text, { name: 'A' }, false);

    expect(data).toBe(
      '{"s":{"queryType":{"name":"Query","fields":[{"name":"_"}]},"mutationType":null},"number":7,"a":null,"__typename":"Query"}',
    );
    expect(errors).toEqual([]);
  });
});
