import { hash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';

import { type ReadFile, readText } from '../config/load.ts';
import { orUndefined } from '../core/errors.ts';

/** What files hold at one time: each is read once, when it is first asked for. */
export class Contents {
  readonly #reads = new Map<string, () => string>();

  readonly read: ReadFile = (path) => {
    const read = this.#reads.get(path) ?? readOnce(path);
    this.#reads.set(path, read);
    return read();
  };

  /** The SHA-256 of a file in hexadecimal, as `sha256sum` prints it, or that of its lines for several. */
  hash(paths: readonly string[]): string {
    const hashes = paths.map((path) => hash('sha256', orUndefined(() => this.read(path)) ?? MISSING));
    const [only = ''] = hashes;
    return hashes.length === 1 ? only : hash('sha256', hashes.map((one, at) => `${one}  ${paths[at]}\n`).join(''));
  }
}

/** A file that cannot be read is no empty file. */
const MISSING = '\0';

/** A file that could not be read is not tried again: it may be half-written then. */
function readOnce(path: string): () => string {
  try {
    const text = readText(path);
    return () => text;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Tells a file from others at its path without reading it: Kubernetes swaps a link above it. */
export function stampOf(path: string): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = orUndefined(() => statSync(path)) ?? {};
  return [path, orUndefined(() => realpathSync.native(path)), dev, ino, size, mtimeMs, ctimeMs].join(' ');
}
