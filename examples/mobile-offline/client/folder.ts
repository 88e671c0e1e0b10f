import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of JSON in one folder, for nobody else to read. */
export interface Folder {
  /** `undefined` where there is no such file. */
  read<T>(name: string): T | undefined;
  /** Replaces a file as a whole, so that a battery which dies leaves the old one or the new one. */
  write(name: string, content: unknown): void;
  remove(name: string): void;
  clear(): void;
}

export function createFolder(path: string): Folder {
  return {
    read(name) {
      try {
        return JSON.parse(readFileSync(join(path, name), 'utf8'));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    write(name, content) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      const draft = join(path, `${name}.draft`);
      writeFileSync(draft, JSON.stringify(content), { mode: 0o600, flush: true });
      renameSync(draft, join(path, name));
    },
    remove: (name) => rmSync(join(path, name), { force: true }),
    clear: () => rmSync(path, { recursive: true, force: true }),
  };
}
