import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { z } from 'zod';

import { messageOf } from '../core/errors.ts';
import { publicModule } from './package.ts';

/**
 * Resolves `caseway/…` for the modules of a team until `deregister` is called. These modules may be
 * in a folder where the package is not installed.
 */
export function registerPublicModules(): { deregister(): void } {
  return registerHooks({
    resolve(specifier, context, next) {
      const file = publicModule(specifier);
      if (file === undefined) return next(specifier, context);
      return { url: pathToFileURL(file).href, shortCircuit: true };
    },
  });
}

/**
 * Checks and returns a module's default export.
 *
 * @param define the function whose result the module should export.
 * @throws {Error} with each invalid member.
 */
export function checkDefaultExport<Shape extends z.ZodType>(
  exported: unknown,
  shape: Shape,
  define: string,
): z.output<Shape> {
  if (exported === undefined) {
    throw new Error(`it has no default export: write "export default ${define}({ … })"`);
  }
  const { data, error } = shape.safeParse(exported);
  if (error === undefined) return data;
  throw new Error(describeIssues(error, 'it'));
}

/** Returns the problems of a value with their paths. @param whole the name of the value. */
export function describeIssues({ issues }: z.ZodError, whole: string): string {
  return issues.map(({ path, message }) => `${path.join('.') || whole}: ${message}`).join('; ');
}

/**
 * Returns file, line and reason for a module that cannot be used, without Node's list of modules.
 */
export function describeModuleError(file: string, error: unknown): string {
  const stack = error instanceof Error ? error.stack : '';
  const line = Number.parseInt(stack?.split(`${file}:`)[1] ?? '', 10) || undefined;
  const [reason] = messageOf(error).split('\n', 1);
  return `${[file, line].filter(Boolean).join(':')}: ${reason}`;
}
