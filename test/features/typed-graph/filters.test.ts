import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { writeFolder } from '../../support/folder.ts';
import { startCountedGateway } from '../../support/gateway.ts';

const TYPED = { TYPED_FORMS: '*' };

const fieldsOf = (name: string) => `{ __type(name: "${name}") { inputFields { name } } }`;

describe('a filter', () => {
  it.each([
    ['amount: { gte: 24800 }', ['24800']],
    ['amount: { lte: "90" }', ['64.75', '89.9']],
    ['amount: { gt: 18650, lt: 24801 }', ['24800']],
    ['title: { contains: "TRAINING" }', ['1560', '2600', '3450']],
    ['title: { startsWith: "presentation" }', ['2600']],
    ['title: { startsWith: "training" }', ['3450']],
  ])('%s finds the matching instances', async (where, amounts) => {
    const { execute } = await startCountedGateway(TYPED);

    const { data, errors } = await execute(
      `{ purchaseRequests(where: { ${where} }, orderBy: [{ amount: ASC }], first: 3) { nodes { amount } } }`,
    );

    expect(errors).toBeUndefined();
    const found = data.purchaseRequests.nodes.map(({ amount }: { amount: string }) => amount);
    expect(found).toEqual(amounts);
  });

  it('rejects a text that the platform’s patterns cannot express, without a call', async () => {
    const { execute, calls } = await startCountedGateway(TYPED);
    calls.splice(0);

    const { errors } = await execute('{ purchaseRequests(where: { title: { contains: "5%" } }) { totalCount } }');

    expect(errors).toMatchObject([{ message: expect.stringContaining('"%"'), extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(calls).toEqual([]);
  });

  it('has no pattern where the dialect has none, and writes patterns as the dialect says', async () => {
    const filters = async (pattern: object) => {
      const folder = writeFolder({ 'dialect.json': { search: { pattern } } });
      const { execute } = await startCountedGateway({ ...TYPED, UPSTREAM_DIALECT: join(folder, 'dialect.json') });
      const { data } = await execute(fieldsOf('TextFilterInput'));
      const { errors } = await execute('{ purchaseRequests(where: { title: { like: "a" } }) { totalCount } }');
      expect(errors).toBeUndefined();
      return data.__type.inputFields.map(({ name }: { name: string }) => name);
    };

    expect(await filters({ any: null })).toEqual(['eq', 'ne', 'like', 'in']);
    expect(await filters({ any: '*', special: '?' })).toEqual(['eq', 'ne', 'contains', 'startsWith', 'like', 'in']);
  });
});

describe('the schema', () => {
  it('has the enum values in the platform’s order, in its SDL and by introspection', async () => {
    const { execute, url } = await startCountedGateway(TYPED);

    const { data } = await execute('{ __type(name: "PurchaseRequestStatus") { enumValues { name } } }');
    const sdl = await (await fetch(`${url}/schema.graphql`)).text();

    const names = ['DRAFT', 'SUBMITTED', 'APPROVED', 'REJECTED'];
    expect(data.__type.enumValues.map(({ name }: { name: string }) => name)).toEqual(names);
    const [, printed = ''] = /enum PurchaseRequestStatus \{(.*?)\}/s.exec(sdl) ?? [];
    expect(printed.match(/^ {2}[A-Z]+$/gm)?.map((name) => name.trim())).toEqual(names);
  });

  it('describes the format of each custom scalar', async () => {
    const { execute } = await startCountedGateway(TYPED);

    const { data } = await execute('{ __schema { types { kind name specifiedByURL } } }');

    const scalars = data.__schema.types.filter(({ kind }: { kind: string }) => kind === 'SCALAR');
    const unsaid = scalars.filter(({ specifiedByURL }: { specifiedByURL: string | null }) => specifiedByURL === null);
    expect(unsaid.map(({ name }: { name: string }) => name).sort()).toEqual(['Boolean', 'ID', 'Int', 'String']);
  });
});
