import { ALL_SETTINGS } from '../app.ts';
import type { Environment } from '../config/load.ts';
import { factsOf } from '../config/setting-types.ts';

/** Beginnings of one setting that no other program's variables have: orchestrators set `REDIS_` and the like. */
const PREFIXES = /^(SESSION|DOCUMENTS|COST|CORS|STALE|METRICS|LIVE|AUDIT)_/;
/** Settings of versions before: who still sets one expects something of it. */
const FORMER: readonly string[] = [
  ...['AUDIT_SYNC', 'CACHE_CONTROL', 'CACHE_MAX_BYTES', 'CALLER_JWT_PUBLIC_KEY', 'CALLER_JWT_PUBLIC_KEY_FILE', 'HOSTS'],
  ...['LIVE_CALLS_PER_MINUTE', 'LIVE_MAX_STREAMS', 'LOG_SUBJECTS', 'MAX_CONCURRENT_REQUESTS', 'MCP_CONFIRM'],
  ...['PAGE_SIZE_MAX', 'REQUEST_TIMEOUT_MS', 'SANDBOX', 'SANDBOX_PORT', 'SANDBOX_REQUEST_LIMIT', 'SHUTDOWN_TIMEOUT_MS'],
  ...['UPSTREAM_GRANT_TYPE', 'UPSTREAM_KEY_FILE', 'UPSTREAM_TOKEN_URL'],
];
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
    FORMER.includes(name) ||
    PREFIXES.test(name) ||
    facts.filter((other) => prefixOf(other.name) === prefixOf(name)).length > 1;
  const suspects = Object.keys(env).filter((name) => !ORCHESTRATED.test(name) && isOurs(name));
  const meant = fileNames.filter((name) => !FOREIGN.test(name));
  const unknown = new Set([...suspects, ...meant].filter((name) => !known.includes(name)));
  return [...unknown].sort().map((name) => {
    if (FORMER.includes(name)) return `unknown setting ${name}: it is no more; CHANGELOG.md says what to do instead`;
    const [longer] = known.filter((other) => other.startsWith(name)).sort((a, b) => a.length - b.length);
    return `unknown setting ${name}: ${longer === undefined ? '--help lists all' : `did you mean ${longer}?`}`;
  });
}

const prefixOf = (name: string): string => /^[^_]*_/.exec(name)?.[0] ?? name;
