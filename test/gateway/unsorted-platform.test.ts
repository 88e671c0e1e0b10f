import { describe, expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { writeDialect } from '../support/write-dialect.ts';

const start = (list: object) =>
  startGateway({ UPSTREAM_DIALECT: writeDialect({ list }), TYPED_FORMS: '*' });

interface IntrospectedType {
  readonly name: string;
  readonly fields?: readonly {
    readonly name: string;
    readonly args: readonly { readonly name: string }[];
  }[];
}

describe('a gateway before a platform that ignores the order', () => {
  it('has neither orderBy nor its inputs, generic or typed', async () => {
    const { dataOf } = await start({ isSorted: false });

    const { __schema } = await dataOf(
      '{ __schema { types { name fields { name args { name } } inputFields { name } } } }',
    );

    const types: readonly IntrospectedType[] = __schema.types;
    expect(JSON.stringify(types)).not.toMatch(/"orderBy"|Order(Input)?"|"SortDirection"/);
    for (const root of ['Query', 'Subscription']) {
      const { fields = [] } = types.find(({ name }) => name === root) ?? {};
      const argsOf = (list: string) =>
        fields.find(({ name }) => name === list)?.args.map(({ name }) => name);
      expect(argsOf('instances')).toEqual(['formId', 'where', 'first', 'after', 'page']);
      expect(argsOf('suppliers')).toEqual(['where', 'first', 'after', 'page']);
    }
  });

  it('lists, filters and pages as before', async () => {
    const query = `{
      forms(first: 1) { nodes { instances(first: 1) { totalCount } } }
      instances(formId: "supplier", where: [{ field: "country", value: "IT" }]) { nodes { values } }
      suppliers(where: { country: { eq: IT } }, first: 2) { totalCount nodes { name purchaseRequests { totalCount } } }
    }`;
    const [sorted, unsorted] = [await start({}), await start({ isSorted: false })];

    expect(await unsorted.dataOf(query)).toEqual(await sorted.dataOf(query));
  });
});
