import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../examples/platforms');

/** The files that connect a platform. */
export interface ConnectionFiles {
  /** The content of `dialect.json`. */
  readonly dialect: object;
  /** The adapter's text by the name of its file; empty for a platform without one. */
  readonly adapter: Readonly<Record<string, string>>;
}

/**
 * Reads the files of a platform from `examples/platforms`.
 *
 * @param name the heading of the platform's section in `docs/platforms.md`. In lower case and
 * without spaces it is the name of the platform's folder.
 */
export function readConnectionFiles(name: string): ConnectionFiles {
  const folder = name.toLowerCase().replaceAll(' ', '');
  return {
    dialect: JSON.parse(readFileSync(join(FOLDER, folder, 'dialect.json'), 'utf8')),
    adapter: readAdapters(folder),
  };
}

/** Returns the texts of the adapters by the names of their files: of one platform, or of all. */
export function readAdapters(folder = '*'): Readonly<Record<string, string>> {
  const paths = globSync(`${folder}/*.ts`, { cwd: FOLDER });
  return Object.fromEntries(
    paths.map((path) => [basename(path), readFileSync(join(FOLDER, path), 'utf8')]),
  );
}
