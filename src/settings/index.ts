import type { z } from 'zod';

import { CACHE_SETTINGS } from './cache.ts';
import { DOCUMENT_SETTINGS } from './documents.ts';
import { EDGE_SETTINGS } from './edge.ts';
import { GATEWAY_SETTINGS } from './gateway.ts';
import { IDENTITY_SETTINGS } from './identity.ts';
import { LIMIT_SETTINGS } from './limits.ts';
import { PATIENCE_SETTINGS } from './patience.ts';
import { REPLICA_SETTINGS } from './replicas.ts';
import { SANDBOX_SETTINGS } from './sandbox.ts';
import type { Setting } from './setting.ts';
import { TYPED_SETTINGS } from './typed.ts';
import { UPSTREAM_SETTINGS } from './upstream.ts';

/** Every setting, named as the environment names it. */
export const SETTINGS = {
  ...GATEWAY_SETTINGS,
  ...EDGE_SETTINGS,
  ...IDENTITY_SETTINGS,
  ...LIMIT_SETTINGS,
  ...DOCUMENT_SETTINGS,
  ...TYPED_SETTINGS,
  ...UPSTREAM_SETTINGS,
  ...PATIENCE_SETTINGS,
  ...CACHE_SETTINGS,
  ...REPLICA_SETTINGS,
  ...SANDBOX_SETTINGS,
} as const;

type ValueOf<S> = S extends { readonly schema: z.ZodType<infer T>; readonly fallback: infer F } ? T | F : never;

/** The settings' values, by the names of the environment. */
export type Settings = { readonly [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> };

/** Names every setting that is missing or malformed, so that one restart fixes them all. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings do not fit:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Where settings come from. */
export interface SettingsSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gives a file's text, for secrets that are in files. */
  readonly readFile: (path: string) => string;
}

/** Reads the settings, and every problem in them. An empty value counts as absent. */
export function readSettings(source: SettingsSource): { readonly settings: Settings; readonly problems: string[] } {
  const problems: string[] = [];
  const entries = Object.entries<Setting<unknown>>(SETTINGS).map(([name, setting]) => {
    const given = source.env[name] || (setting.isSecret ? fromFile(name, source, problems) : undefined);
    if (given === undefined) return [name, setting.fallback];
    const { data, error } = setting.schema.safeParse(given);
    const got = setting.isSecret ? '' : `, got ${JSON.stringify(given)}`;
    if (error) problems.push(`${name}: ${error.issues.map(({ message }) => message).join('; ')}${got}`);
    return [name, error ? setting.fallback : data];
  });
  return { settings: Object.fromEntries(entries) as Settings, problems };
}

function fromFile(name: string, { env, readFile }: SettingsSource, problems: string[]): string | undefined {
  const path = env[`${name}_FILE`];
  if (!path) return undefined;
  try {
    return readFile(path).trimEnd();
  } catch {
    problems.push(`${name}_FILE: cannot read the file ${JSON.stringify(path)}`);
    return undefined;
  }
}
