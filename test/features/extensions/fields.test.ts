import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { startExtended } from './support/start.ts';

const AGE = `
import { defineExtension } from 'caseway/extension';

export default defineExtension({
  typeDefs: \`
    extend type PurchaseRequest { "Whole days from its creation to a day." ageDays(on: DateTime!): Int! }
    extend type Query { greeting(name: String!): String!  cheapest(first: Int = 3): [PurchaseRequest!]! }
  \`,
  resolvers: {
    PurchaseRequest: {
      ageDays: {
        needs: '{ createdAt }',
        resolve: ({ createdAt }, { on }) => Math.floor((on.getTime() - Date.parse(createdAt)) / 86_400_000),
      },
    },
    Query: {
      greeting: (_source, { name }) => \`Hello, \${name}\`,
      cheapest: {
        calls: 1,
        async resolve(_source, { first }, { query }) {
          const document = 'query ($first: Int) { purchaseRequests(first: $first, orderBy: [{ amount: ASC }]) { nodes { id } } }';
          return (await query(document, { first })).purchaseRequests.nodes;
        },
      },
    },
  },
});
`;

describe('an extension', () => {
  it('adds a field to a form’s type, computed from what it needs of the record, without another call', async () => {
    const { execute, calls } = await startExtended({ 'age.ts': AGE });
    calls.length = 0;

    const { data, errors } = await execute(
      '{ purchaseRequests(first: 2) { nodes { createdAt ageDays(on: "2030-01-01T00:00:00Z") } } }',
    );

    expect(errors).toBeUndefined();
    for (const { createdAt, ageDays } of data.purchaseRequests.nodes) {
      expect(ageDays).toBe(Math.floor((Date.parse('2030-01-01T00:00:00Z') - Date.parse(createdAt)) / 86_400_000));
    }
    expect(calls).toEqual(['getFormIntances']);
  });

  it('adds a query that reads through the caller’s own loaders and returns the platform’s objects', async () => {
    const { execute, calls } = await startExtended({ 'age.ts': AGE });
    calls.length = 0;

    const { data } = await execute('{ greeting(name: "Ada") cheapest { amount supplier { name } } }');

    expect(data.greeting).toBe('Hello, Ada');
    expect(data.cheapest).toHaveLength(3);
    expect(data.cheapest[0]).toMatchObject({ amount: expect.stringMatching(/^\d/) });
    expect(calls).toEqual(['getFormIntances', 'getFormIntances']);
  });

  it('signs an address for an upload as documented, with a store of its own', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/questions.md'), 'utf8');
    const [, text = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
    const store = `export const sign = ({ key, method }) => 'https://store.example/' + key + '?' + method`;
    const { execute, lines } = await startExtended({ 'upload.ts': text, 'store/sign.ts': store });

    const { data, errors } = await execute('mutation { requestUpload(contentType: "image/png") { key url } }');

    expect(errors).toBeUndefined();
    expect(data.requestUpload.key).toMatch(/^receipts\/[\w-]{36}$/);
    expect(data.requestUpload.url).toBe(`https://store.example/${data.requestUpload.key}?PUT`);
    expect(lines.filter(({ file }) => file !== undefined)).toEqual([]);
  });

  it('is in the SDL and in introspection, with its descriptions', async () => {
    const { execute, sdl } = await startExtended({ 'age.ts': AGE });

    expect(await sdl()).toMatch(/"""Whole days from its creation to a day."""\n {2}ageDays\(on: DateTime!\): Int!/);
    const { data } = await execute('{ __type(name: "PurchaseRequest") { fields { name } } }');
    expect(data.__type.fields).toContainEqual({ name: 'ageDays' });
  });
});
