import { describe, expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { writeDialect } from '../support/write-dialect.ts';

async function start(list: object) {
  return startGateway({ UPSTREAM_DIALECT: writeDialect({ list }), TYPED_FORMS: '*' });
}

const ARGUMENTS = `fragment Arguments on __Type { name kind fields { name args { name } } inputFields { name } }
  { __schema { types { ...Arguments } } }`;

interface IntrospectedType {
  readonly name: string;
  readonly fields:
    | readonly { readonly name: string; readonly args: readonly { readonly name: string }[] }[]
    | null;
}

describe('a gateway before a platform that ignores the order', () => {
  it('has neither orderBy nor its inputs, generic or typed', async () => {
    const { execute } = await start({ isSorted: false });

    const { data } = await execute(ARGUMENTS);
    const types: readonly IntrospectedType[] = data.__schema.types;
    const fields = types.flatMap((type) =>
      (type.fields ?? []).map((field) => ({ ...field, type: type.name })),
    );

    expect(
      types.map(({ name }) => name).filter((name) => /Order(Input)?$|^SortDirection$/.test(name)),
    ).toEqual([]);
    expect(fields.filter(({ args }) => args.some(({ name }) => name === 'orderBy'))).toEqual([]);
    for (const root of ['Query', 'Subscription']) {
      const lists = fields.filter(
        ({ type, name }) => type === root && ['instances', 'suppliers'].includes(name),
      );
      expect(lists.map(({ args }) => args.map(({ name }) => name).join())).toEqual([
        'formId,where,first,after,page',
        'where,first,after,page',
      ]);
    }
  });

  it('lists, filters and pages as before', async () => {
    const query = `{
      forms(first: 1) { nodes { instances(first: 1) { totalCount } } }
      instances(formId: "supplier", where: [{ field: "country", value: "IT" }]) { nodes { values } }
      suppliers(where: { country: { eq: IT } }, first: 2) { totalCount nodes { name purchaseRequests { totalCount } } }
    }`;
    const answers = await Promise.all(
      [{}, { isSorted: false }].map(async (list) => (await start(list)).execute(query)),
    );

    expect(answers[0]?.errors).toBeUndefined();
    expect(answers[1]).toEqual(answers[0]);
  });
});
