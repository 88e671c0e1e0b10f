import type { KeyStorage } from 'caseway/client';

/** Creates a storage like a browser's, with its items. */
export function createStorage(): KeyStorage & { readonly items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
  };
}
