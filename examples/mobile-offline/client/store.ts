import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The device's storage: JSON by name. */
export interface Store {
  /** Returns the content, or `undefined` if it does not exist. */
  read<T>(name: string): T | undefined;
  /** Replaces the whole content, so that a power loss leaves either the old or the new one. */
  write(name: string, content: unknown): void;
  remove(name: string): void;
  /** Returns the path of a file that something else writes. */
  pathOf(name: string): string;
  /** Returns a store inside this one. */
  within(name: string): Store;
  clear(): void;
}

/** Opens a store of files in a folder that only this user can read. */
export function openStore(folder: string): Store {
  const pathOf = (name: string) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return join(folder, encodeURIComponent(name));
  };
  return {
    pathOf,
    read(name) {
      try {
        return JSON.parse(readFileSync(pathOf(name), 'utf8'));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    write(name, content) {
      const draft = `${pathOf(name)}.draft`;
      writeFileSync(draft, JSON.stringify(content), { mode: 0o600, flush: true });
      renameSync(draft, pathOf(name));
    },
    remove: (name) => rmSync(pathOf(name), { force: true }),
    within: (name) => openStore(join(folder, encodeURIComponent(name))),
    clear: () => rmSync(folder, { recursive: true, force: true }),
  };
}
