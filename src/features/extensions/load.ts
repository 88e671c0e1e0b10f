import { existsSync, globSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

import { ConfigError } from '../../config/load.ts';
import { PACKAGE_ROOT } from '../../config/package.ts';
import type { Log } from '../../core/log.ts';

type ResolverFunction = (source: unknown, args: object, context: unknown) => unknown;

/** A module that awaits something for longer holds up the start. */
const SLOW_MS = 10_000;

/** The module that extensions import, as source or as built. */
const PUBLIC_MODULE = join(PACKAGE_ROOT, `src/features/extensions/extension${extname(import.meta.filename)}`);

/**
 * Runs the modules that `EXTENSIONS` names: one, or the `.ts`, `.js` and `.mjs` files of a folder and the `index` of each
 * folder in it, by name.
 *
 * @throws {ConfigError} naming each module that cannot be run, or that is no extension, with the reason.
 */
export async function loadExtensions(path: string, log: Log): Promise<readonly LoadedExtension[]> {
  const files = findModules(path);
  // They lie wherever the team keeps them, where no package is installed perhaps.
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'caseway/extension'
        ? { url: pathToFileURL(PUBLIC_MODULE).href, shortCircuit: true }
        : next(specifier, context),
  });
  const problems: string[] = [];
  const loaded: LoadedExtension[] = [];
  for (const { file, name } of files) {
    try {
      const slow = setTimeout(() => log.warn({ extension: name }, 'an extension is still loading'), SLOW_MS);
      const module = await import(pathToFileURL(file).href).finally(() => clearTimeout(slow));
      loaded.push({ file: name, ...readExtension(module.default) });
    } catch (error) {
      const { message, stack = '' } = error instanceof Error ? error : new Error('unknown error');
      const line = Number.parseInt(stack.split(`${file}:`)[1] ?? '', 10) || undefined;
      problems.push(`EXTENSIONS: ${[file, line].filter(Boolean).join(':')}: ${message}`);
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
  if (names.length === 0) throw new ConfigError([`EXTENSIONS: ${given} has no .ts, .js or .mjs file`]);
  return names.map((name) => ({ file: join(path, name), name }));
}

const FUNCTION = z.custom<ResolverFunction>((value) => typeof value === 'function', 'must be a function');
const OPTIONS = z
  .strictObject({
    resolve: FUNCTION.optional(),
    batch: FUNCTION.optional(),
    /** A selection on the type. */
    needs: z.string().optional(),
    /** At most, for each `resolve` or `batch`. */
    calls: z.int().min(0).default(0),
  })
  .refine(({ resolve, batch }) => (resolve === undefined) !== (batch === undefined));

/** How one own field is resolved. */
export type OwnResolver = z.output<typeof OPTIONS>;

const RESOLVER = z.union(
  [FUNCTION.transform((resolve): OwnResolver => ({ resolve, calls: 0 })), OPTIONS],
  'must be a function, or an object with either resolve or batch, needs and calls',
);

const SHAPE = z.strictObject({
  typeDefs: z.string().optional(),
  resolvers: z.record(z.string(), z.record(z.string(), RESOLVER)).default({}),
});

/** An extension, and the name of its file for people. */
export type LoadedExtension = z.output<typeof SHAPE> & { readonly file: string };

/** @throws {Error} saying what is no part of an extension. */
function readExtension(given: unknown): z.output<typeof SHAPE> {
  if (given === undefined) throw new Error('it has no default export: write "export default defineExtension({ … })"');
  const { data, error } = SHAPE.safeParse(given);
  if (data) return data;
  throw new Error(error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; '));
}
