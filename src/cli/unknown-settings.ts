import type { Environment } from '../config/load.ts';
import type { SettingTable } from '../config/settings.ts';

/** Beginnings of one setting that no other program's variables have: orchestrators set `REDIS_` and the like. */
const PREFIXES = /^(SESSION|DOCUMENTS|COST|CORS|STALE|SHUTDOWN|METRICS)_/;
/** Variables of Node and of OpenTelemetry, which a file `.env` may set as well. */
const FOREIGN = /^(NODE|OTEL)_/;
/** A service named `sandbox` in Kubernetes gives all pods `SANDBOX_PORT_4001_TCP` and so on; systemd and desktops set the others. */
const ORCHESTRATED = /_(SERVICE_HOST|SERVICE_PORT\w*|PORT_\d+_\w+)$|^(CACHE_DIRECTORY|SESSION_MANAGER)$/;
/** A shorter name is near another one by chance. */
const MISSPELT_LENGTH = 10;
const MISSPELT_LETTERS = 2;

/**
 * One sentence for each unknown variable that begins or is spelled almost like a setting, with the nearest setting.
 *
 * @param fileNames the names that the file `.env` sets: each of them is meant for this program.
 */
export function unknownSettings(env: Environment, table: SettingTable, fileNames: readonly string[] = []): string[] {
  const secrets = Object.keys(table).filter((name) => table[name]?.isSecret);
  const known = [...Object.keys(table), ...secrets.map((name) => `${name}_FILE`)];
  const isOurs = (name: string) =>
    PREFIXES.test(name) || Object.keys(table).filter((other) => prefixOf(other) === prefixOf(name)).length > 1;
  const isMisspelt = (name: string) =>
    name.length >= MISSPELT_LENGTH && name.includes('_') && known.some((other) => isNear(name, other));
  const suspects = Object.keys(env).filter((name) => !ORCHESTRATED.test(name) && (isOurs(name) || isMisspelt(name)));
  const meant = fileNames.filter((name) => !FOREIGN.test(name));
  const unknown = new Set([...suspects, ...meant].filter((name) => !known.includes(name)));
  return [...unknown].sort().map((name) => `unknown setting ${name}: did you mean ${nearest(name, known)}?`);
}

const prefixOf = (name: string): string => /^[^_]*_/.exec(name)?.[0] ?? name;

/** The shortest candidate that begins with the name (`UPSTREAM_USER`), else the one that is spelled most like it. */
function nearest(name: string, candidates: readonly string[]): string {
  const [longer] = candidates.filter((candidate) => candidate.startsWith(name)).sort((a, b) => a.length - b.length);
  if (longer !== undefined) return longer;
  const distances = candidates.map((candidate) => ({ candidate, distance: editDistance(name, candidate) }));
  return distances.reduce((best, next) => (next.distance < best.distance ? next : best)).candidate;
}

const isNear = (name: string, other: string): boolean =>
  Math.abs(name.length - other.length) <= MISSPELT_LETTERS && editDistance(name, other) <= MISSPELT_LETTERS;

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
