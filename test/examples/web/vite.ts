import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The web client's folder. */
export const CLIENT = join(import.meta.dirname, '../../../examples/web');

/** The part of Vite that the tests use. Vite is among the example's own packages. */
export interface Vite {
  build(options: object): Promise<unknown>;
  preview(options: object): Promise<{
    readonly resolvedUrls: { readonly local: readonly [string] };
    close(): Promise<void>;
  }>;
}

export const loadVite = (): Promise<Vite> =>
  import(pathToFileURL(createRequire(join(CLIENT, 'package.json')).resolve('vite')).href);
