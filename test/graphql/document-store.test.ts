import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';

import { createDocumentStore, type DocumentStore } from '../../src/graphql/document-store.ts';

const SMALL = parse('{ a }');

/** Stores a document as one that is asked often. */
async function keep(store: DocumentStore, key: string, document = SMALL): Promise<void> {
  await store.set(key, document);
  await store.set(key, document);
}

describe('the store of parsed documents', () => {
  it('keeps so many documents, and those that were used last', async () => {
    const store = createDocumentStore(2);
    await keep(store, 'a');
    await keep(store, 'b');
    await store.get('a');

    await keep(store, 'c');

    expect(await Promise.all(['a', 'b', 'c'].map(store.get))).toEqual([SMALL, undefined, SMALL]);
  });

  it('keeps nothing that comes once, however much of it', async () => {
    const store = createDocumentStore(2);
    await keep(store, 'a');

    for (let n = 0; n < 100; n++) await store.set(String(n), SMALL);

    expect(await store.get('99')).toBeUndefined();
    expect(await store.get('a')).toBe(SMALL);
  });

  it('keeps fewer where they are large', async () => {
    const store = createDocumentStore(1_000);
    const large = parse(`{ ${'a '.repeat(1_990)} }`);

    for (let n = 0; n < 100; n++) await keep(store, String(n), large);

    const kept = await Promise.all(Array.from({ length: 100 }, (_, n) => store.get(String(n))));
    expect(kept.filter((document) => document !== undefined)).toHaveLength(30);
  });

  it('keeps a document once, however often it is stored, and forgets what it is told to', async () => {
    const store = createDocumentStore(2);
    for (const key of ['a', 'a', 'b', 'b', 'b']) await store.set(key, SMALL);

    expect(await store.get('a')).toBe(SMALL);
    expect(await store.delete('a')).toBe(true);
    expect(await store.get('a')).toBeUndefined();
  });
});
