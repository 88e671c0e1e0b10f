import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Settings, SettingTable } from './settings.ts';

/** Lists every setting that is missing or malformed, so that one restart fixes them all. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Invalid configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings, and every problem in them. An empty value counts as absent. */
export function loadSettings(
  env: Environment,
  table: SettingTable,
): { readonly settings: Settings; readonly problems: string[] } {
  const problems: string[] = [];
  const entries = Object.entries(table).map(([name, setting]) => {
    const text = env[name] || (setting.isSecret ? readSecretFile(name, env, problems) : undefined);
    if (text === undefined) return [name, setting.default];
    const { data, error } = setting.type.safeParse(text);
    if (error === undefined) return [name, data];
    // A value with an "@" may be an address with a password in it.
    const got = setting.isSecret || text.includes('@') ? '' : `, got ${JSON.stringify(text)}`;
    problems.push(`${name}: ${error.issues.map(({ message }) => message).join('; ')}${got}`);
    return [name, setting.default];
  });
  return { settings: Object.fromEntries(entries) as Settings, problems };
}

function readSecretFile(name: string, env: Environment, problems: string[]): string | undefined {
  const path = env[`${name}_FILE`];
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch {
    problems.push(`${name}_FILE: cannot read the file ${JSON.stringify(path)}`);
    return undefined;
  }
}

/** The gateway's version. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  return String(version);
}

/** The value of a file, or every problem in it. */
export type FileReading<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** Reads a JSON file that a setting names. */
export function readJsonFile(path: string): FileReading<unknown> {
  try {
    return { value: JSON.parse(readFileSync(path, 'utf8')) };
  } catch (error) {
    return { problems: [`cannot read ${path}: ${error instanceof Error ? error.message : 'unknown error'}`] };
  }
}
