import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the device keeps: JSON by name. */
export interface Store {
  /** `undefined` where there is none. */
  read<T>(name: string): T | undefined;
  /** Replaces the whole, so that a battery which dies leaves the old one or the new one. */
  write(name: string, content: unknown): void;
  remove(name: string): void;
  /** Another store, inside of this one. */
  within(name: string): Store;
  clear(): void;
}

/** Keeps files in a folder, for nobody else to read. */
export function openStore(folder: string): Store {
  const pathOf = (name: string) => join(folder, encodeURIComponent(name));
  return {
    read(name) {
      try {
        return JSON.parse(readFileSync(pathOf(name), 'utf8'));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    write(name, content) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const draft = `${pathOf(name)}.draft`;
      writeFileSync(draft, JSON.stringify(content), { mode: 0o600, flush: true });
      renameSync(draft, pathOf(name));
    },
    remove: (name) => rmSync(pathOf(name), { force: true }),
    within: (name) => openStore(pathOf(name)),
    clear: () => rmSync(folder, { recursive: true, force: true }),
  };
}
