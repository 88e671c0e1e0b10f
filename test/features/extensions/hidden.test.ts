import { buildSchema, type GraphQLObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';

import { startExtended } from './support/start.ts';

const HIDES = `
export default {
  typeDefs: 'extend type PurchaseRequest { firstNote: String }',
  resolvers: { PurchaseRequest: { firstNote: ({ notes }) => notes?.split(' ')[0] ?? 'none' } },
  hide: ['PurchaseRequest.notes', 'Mutation.deleteSupplier', 'Instance.links', 'PurchaseRequestFilterInput.notes',
    'PurchaseRequest.form', 'PurchaseRequest.nothing', 'PurchaseRequest.firstNote', 'CreateSupplierValues.name'],
};`;

describe('a hidden field', () => {
  it('is absent from SDL, introspection and validation, with the types that only it used', async () => {
    const { execute, sdl, leftOut } = await startExtended({ 'hides.js': HIDES });

    const schema = buildSchema(await sdl());
    const fieldsOf = (type: string) => Object.keys((schema.getType(type) as GraphQLObjectType).getFields());
    for (const type of ['PurchaseRequest', 'Supplier', 'GenericInstance', 'Instance']) {
      expect(fieldsOf(type)).not.toContain('links');
    }
    expect(fieldsOf('PurchaseRequest')).not.toContain('notes');
    expect(fieldsOf('Mutation')).not.toContain('deleteSupplier');
    expect(schema.getType('DeleteSupplierInput')).toBeUndefined();
    const { data } = await execute('{ __type(name: "PurchaseRequest") { fields { name } } }');
    expect(data.__type.fields).not.toContainEqual({ name: 'notes' });
    for (const field of ['notes', 'links { rel }']) {
      const answer = await execute(`{ purchaseRequests(first: 1) { nodes { ${field} } } }`);
      expect(answer.errors?.[0]?.message).toMatch(/^Cannot query field/);
    }
    expect(Object.fromEntries((await leftOut()).map(({ place, reason }) => [place, reason]))).toEqual({
      'PurchaseRequest.form': 'Instance has it; hide Instance.form.',
      'PurchaseRequest.nothing': 'The platform’s graph has no such field.',
      'PurchaseRequest.firstNote': 'The platform’s graph has no such field.',
      'CreateSupplierValues.name': 'It is required.',
    });
  });

  it('cannot be searched by either where the input’s field is hidden', async () => {
    const { execute } = await startExtended({ 'hides.js': HIDES });

    const query = '{ purchaseRequests(where: { notes: { like: "a" } }, first: 1) { totalCount } }';

    expect((await execute(query)).errors?.[0]?.message).toMatch(/Field "notes" is not defined/);
  });

  it('is available to extensions', async () => {
    const { execute } = await startExtended({ 'hides.js': HIDES });

    const { data, errors } = await execute('{ purchaseRequests(first: 3) { nodes { firstNote } } }');

    expect(errors).toBeUndefined();
    expect(data.purchaseRequests.nodes).toEqual(Array(3).fill({ firstNote: expect.any(String) }));
  });
});
