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

/** The value of a JSON file that a setting names, or why it cannot be read. */
export function readJsonFile(path: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(readFileSync(path, 'utf8')) };
  } catch (error) {
    return { problem: `cannot read ${path}: ${error instanceof Error ? error.message : 'unknown error'}` };
  }
}

/** Beginnings that no other program's variables have. `REDIS_` and the like are set by orchestrators too. */
const PREFIXES = /^(UPSTREAM|CALLER|SESSION|SANDBOX|TYPED|CACHE|DOCUMENTS|COST|CORS|STALE|SHUTDOWN|METRICS)_/;
/** Variables of Node and of OpenTelemetry, which a file `.env` may set as well. */
const FOREIGN = /^(NODE|OTEL)_/;
/** A service named `sandbox` in Kubernetes gives all pods `SANDBOX_PORT_4001_TCP` and so on. */
const ORCHESTRATED = /_(SERVICE_HOST|SERVICE_PORT\w*|PORT_\d+_\w+)$/;

/**
 * One sentence for each unknown variable that looks like a setting, with the nearest setting.
 *
 * @param fileNames the names that the file `.env` sets: each of them is meant for this program.
 */
export function unknownSettings(env: Environment, table: SettingTable, fileNames: readonly string[] = []): string[] {
  const secrets = Object.keys(table).filter((name) => table[name]?.isSecret);
  const known = [...Object.keys(table), ...secrets.map((name) => `${name}_FILE`)];
  const suspects = Object.keys(env).filter((name) => PREFIXES.test(name) && !ORCHESTRATED.test(name));
  const meant = fileNames.filter((name) => !FOREIGN.test(name));
  const unknown = new Set([...suspects, ...meant].filter((name) => !known.includes(name)));
  return [...unknown].sort().map((name) => `unknown setting ${name}: did you mean ${nearest(name, known)}?`);
}

/** The shortest candidate that begins with the name (`UPSTREAM_USER`), else the one that is spelled most like it. */
function nearest(name: string, candidates: readonly string[]): string {
  const [longer] = candidates.filter((candidate) => candidate.startsWith(name)).sort((a, b) => a.length - b.length);
  if (longer !== undefined) return longer;
  const distances = candidates.map((candidate) => ({ candidate, distance: editDistance(name, candidate) }));
  return distances.reduce((best, next) => (next.distance < best.distance ? next : best)).candidate;
}

/** How many letters to insert, delete or replace (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
