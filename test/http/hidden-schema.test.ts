import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';

import { shareGateway } from '../support/gateway.ts';

const gateway = shareGateway({ NODE_ENV: 'production', CALLER_AUTH: 'none' });

describe('the schema in production', () => {
  it('is empty in introspection, which still succeeds', async () => {
    const { data, errors, status } = await gateway.execute(getIntrospectionQuery());

    expect(status).toBe(200);
    expect(errors).toBeUndefined();
    expect(Object.keys(buildClientSchema(data).getQueryType()?.getFields() ?? {})).toEqual(['_']);
    expect(JSON.stringify(data)).not.toContain('Instance');
  });

  it('has no type by any name', async () => {
    const data = await gateway.dataOf('{ __type(name: "Query") { name fields { name } } }');

    expect(data).toEqual({ __type: null });
  });

  it('is hidden beside other fields, whose order, fragments and aliases are kept', async () => {
    const data = await gateway.dataOf(`
      query ($yes: Boolean = true) {
        type: __type(name: "Form") { ...T }
        ...F
        skipped: __type(name: "Form") @skip(if: $yes) { name }
        form(formId: "supplier") { name }
      }
      fragment T on __Type { name }
      fragment F on Query { s: __schema { queryType { ...T } mutationType { name } } }
    `);

    expect(JSON.stringify(data)).toBe(
      '{"type":null,"s":{"queryType":{"name":"Query"},"mutationType":null},"form":{"name":"Supplier"}}',
    );
  });
});
