import { existsSync, globSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

import { ConfigError } from '../../config/load.ts';
import {
  checkDefaultExport,
  describeModuleError,
  registerPublicModules,
} from '../../config/modules.ts';
import type { Log } from '../../core/log.ts';

type ResolverFunction = (source: unknown, args: object, context: unknown) => unknown;

/** Milliseconds after which the log names a module that is still loading and holds up the start. */
const SLOW_MS = 10_000;

/**
 * Loads the modules of `EXTENSIONS` in the order of their names. The path is one module, or a
 * folder with `.ts`, `.js` and `.mjs` files and with subfolders that have an `index` module.
 *
 * @throws {ConfigError} naming each module that cannot be loaded or is not an extension, with the
 *   reason.
 */
export async function loadExtensions(path: string, log: Log): Promise<readonly LoadedExtension[]> {
  const files = findModules(path);
  registerPublicModules();
  const problems: string[] = [];
  const loaded: LoadedExtension[] = [];
  for (const { file, name } of files) {
    try {
      const slow = setTimeout(
        () => log.warn({ extension: name }, 'an extension is still loading'),
        SLOW_MS,
      );
      const module = await import(pathToFileURL(file).href).finally(() => clearTimeout(slow));
      const extension = checkDefaultExport(module.default, SHAPE, 'defineExtension');
      loaded.push({ file: name, ...extension });
    } catch (error) {
      problems.push(`EXTENSIONS: ${describeModuleError(file, error)}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return loaded;
}

function findModules(given: string): readonly { readonly file: string; readonly name: string }[] {
  const path = resolve(given);
  if (!existsSync(path)) throw new ConfigError([`EXTENSIONS: there is no ${given}`]);
  if (!statSync(path).isDirectory()) return [{ file: path, name: basename(path) }];
  const names = globSync(['*.{ts,js,mjs}', '*/index.{ts,js,mjs}'], { cwd: path })
    .filter((name) => !/\.(d|test)\.\w+$/.test(name) && !name.startsWith('node_modules'))
    .sort();
  if (names.length === 0)
    throw new ConfigError([`EXTENSIONS: ${given} has no .ts, .js or .mjs file`]);
  return names.map((name) => ({ file: join(path, name), name }));
}

const FUNCTION = z.custom<ResolverFunction>(
  (value) => typeof value === 'function',
  'must be a function',
);
const OPTIONS = z
  .strictObject({
    resolve: FUNCTION.optional(),
    batch: FUNCTION.optional(),
    /** A selection on the type. */
    needs: z.string().optional(),
    /** The maximum number of calls for each `resolve` or `batch`. */
    calls: z.int().min(0).default(0),
  })
  .refine(({ resolve, batch }) => (resolve === undefined) !== (batch === undefined));

/** The resolver of a field, with its options. */
export type OwnResolver = z.output<typeof OPTIONS>;

const RESOLVER = z.union(
  [FUNCTION.transform((resolve): OwnResolver => ({ resolve, calls: 0 })), OPTIONS],
  'must be a function, or an object with either resolve or batch, needs and calls',
);

const SHAPE = z.strictObject({
  typeDefs: z.string().optional(),
  resolvers: z.record(z.string(), z.record(z.string(), RESOLVER)).default({}),
});

/** An extension, and the name of its file for log lines. */
export type LoadedExtension = z.output<typeof SHAPE> & { readonly file: string };
