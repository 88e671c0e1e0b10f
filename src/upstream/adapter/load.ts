import { createRequire } from 'node:module';
import { basename, dirname, resolve } from 'node:path';
import { isAsyncFunction } from 'node:util/types';
import { z } from 'zod';
import {
  checkDefaultExport,
  describeModuleError,
  registerPublicModules,
} from '../../config/modules.ts';
import type { Adapter } from './adapter.ts';

/** A checked adapter with the name of its file. */
export interface LoadedAdapter extends Adapter {
  readonly name: string;
}

type Hook = (...args: readonly never[]) => unknown;

const HOOK = z
  .custom<Hook>((value) => typeof value === 'function', 'must be a function')
  .refine((hook) => !isAsyncFunction(hook), 'must not be async')
  .optional();
const SHAPE = z
  .strictObject({ request: HOOK, response: HOOK })
  .refine(({ request, response }) => request ?? response, 'must have request, response, or both');

const requireModule = createRequire(import.meta.url);

/**
 * Loads the module of a dialect's adapter.
 *
 * @param path the module's path, relative to the dialect's file. `undefined` without an adapter.
 * @param report receives the reason if the module cannot be used.
 * @returns `undefined` without an adapter, or if it cannot be used.
 */
export function loadAdapter(
  dialectFile: string,
  path: string | undefined,
  report: (problem: string) => void,
): LoadedAdapter | undefined {
  if (path === undefined) return undefined;

  const file = resolve(dirname(dialectFile), path);
  const registered = registerPublicModules();
  try {
    const hooks = checkDefaultExport(requireModule(file).default, SHAPE, 'defineAdapter');
    return { name: basename(file), ...hooks } as LoadedAdapter;
  } catch (error) {
    report(describeModuleError(file, error));
    return undefined;
  } finally {
    registered.deregister();
  }
}
