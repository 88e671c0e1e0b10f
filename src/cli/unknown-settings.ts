import { ALL_SETTINGS } from '../app.ts';
import type { Environment } from '../config/load.ts';
import { factsOf } from '../config/setting-types.ts';

/** Beginnings of one setting that no other program's variables have: orchestrators set `REDIS_` and the like. */
const PREFIXES = /^(SESSION|DOCUMENTS|COST|CORS|STALE|METRICS|LIVE|AUDIT)_/;
/** Variables of Node and of OpenTelemetry, which a file `.env` may set as well. */
const FOREIGN = /^(NODE|OTEL)_/;
/** A service named `sandbox` in Kubernetes gives all pods `SANDBOX_PORT_4001_TCP` and so on; systemd and desktops set the others. */
const ORCHESTRATED = /_(SERVICE_HOST|SERVICE_PORT\w*|PORT_\d+_\w+)$|^(CACHE_DIRECTORY|SESSION_MANAGER)$/;

/**
 * One sentence for each unknown variable that begins like a setting.
 *
 * @param fileNames the names that the file `.env` sets: each of them is meant for this program.
 */
export function unknownSettings(env: Environment, fileNames: readonly string[]): string[] {
  const facts = ALL_SETTINGS.flatMap(factsOf);
  const known = facts.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : name));
  const isOurs = (name: string) =>
    PREFIXES.test(name) || facts.filter((other) => prefixOf(other.name) === prefixOf(name)).length > 1;
  const suspects = Object.keys(env).filter((name) => !ORCHESTRATED.test(name) && isOurs(name));
  const meant = fileNames.filter((name) => !FOREIGN.test(name));
  const unknown = new Set([...suspects, ...meant].filter((name) => !known.includes(name)));
  return [...unknown].sort().map((name) => {
    const [longer] = known.filter((other) => other.startsWith(name)).sort((a, b) => a.length - b.length);
    return `unknown setting ${name}: ${longer === undefined ? '--help lists all' : `did you mean ${longer}?`}`;
  });
}

const prefixOf = (name: string): string => /^[^_]*_/.exec(name)?.[0] ?? name;
