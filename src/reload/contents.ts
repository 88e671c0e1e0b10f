import { hash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';

import { type ReadFile, readText } from '../config/load.ts';
import { orUndefined } from '../core/errors.ts';

/** What files hold at one time: each is read once, when it is first asked for, also where it cannot be read. */
export class Contents {
  readonly #reads = new Map<string, { readonly text: string } | { readonly error: unknown }>();
  readonly #readFile: ReadFile;

  constructor(readFile = readText) {
    this.#readFile = readFile;
  }

  readonly read: ReadFile = (path) => {
    const known = this.#reads.get(path) ?? this.#attempt(path);
    this.#reads.set(path, known);
    if ('error' in known) throw known.error;
    return known.text;
  };

  #attempt(path: string) {
    try {
      return { text: this.#readFile(path) };
    } catch (error) {
      return { error };
    }
  }

  /** The SHA-256 of a file in hexadecimal, as `sha256sum` prints it, or that of its lines for several. */
  hash(paths: readonly string[]): string {
    const hashes = paths.map((path) => hash('sha256', orUndefined(() => this.read(path)) ?? MISSING));
    const [only = ''] = hashes;
    return hashes.length === 1 ? only : hash('sha256', hashes.map((one, at) => `${one}  ${paths[at]}\n`).join(''));
  }
}

/** A file that cannot be read is no empty file. */
const MISSING = '\0';

/** Whether reading waits for who writes: `cat <(command)` of a shell, or a named pipe. */
export const isPipe = (path: string): boolean => orUndefined(() => statSync(path))?.isFIFO() ?? false;

/** Reads a file while requests are served, and does not wait for a pipe. @throws {Error} where it cannot be read. */
export const readAgain: ReadFile = (path) => {
  if (isPipe(path)) throw Object.assign(new Error('It is a pipe.'), { code: 'ESPIPE' });
  return readText(path);
};

/** Tells a file from others at its path without reading it: Kubernetes swaps a link above it. */
export function stampOf(path: string): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = orUndefined(() => statSync(path)) ?? {};
  return [path, orUndefined(() => realpathSync.native(path)), dev, ino, size, mtimeMs, ctimeMs].join(' ');
}
