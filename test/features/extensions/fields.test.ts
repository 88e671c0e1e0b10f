import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { startExtended } from './support/start.ts';

const AGE = `
export default {
  typeDefs: 'extend type PurchaseRequest { "Whole days from its creation to a day." ageDays(on: DateTime!): Int! }',
  resolvers: { PurchaseRequest: { ageDays: () => 1 } },
};`;

describe('an extension', () => {
  it('signs an address for an upload as documented, with a store of its own', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/questions.md'), 'utf8');
    const [, text = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
    const store = `export const sign = ({ key, method }) => 'https://store.example/' + key + '?' + method`;
    const { dataOf, logged } = await startExtended({ 'upload.ts': text, 'store/sign.ts': store });

    const data = await dataOf('mutation { requestUpload(contentType: "image/png") { key url } }');

    expect(data.requestUpload.key).toMatch(/^receipts\/[\w-]{36}$/);
    expect(data.requestUpload.url).toBe(`https://store.example/${data.requestUpload.key}?PUT`);
    expect(logged().filter(({ file }) => file !== undefined)).toEqual([]);
  });

  it('is in the SDL and in introspection, with its descriptions', async () => {
    const { execute, sdl } = await startExtended({ 'age.js': AGE });

    expect(await sdl()).toMatch(
      /"""Whole days from its creation to a day."""\n {2}ageDays\(on: DateTime!\): Int!/,
    );
    const { data } = await execute('{ __type(name: "PurchaseRequest") { fields { name } } }');
    expect(data.__type.fields).toContainEqual({ name: 'ageDays' });
  });
});
