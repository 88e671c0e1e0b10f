import { distance } from 'fastest-levenshtein';

import { ALL_SETTINGS } from '../app/index.ts';
import type { Environment } from '../config/load.ts';
import { factsOf } from '../config/setting-types.ts';

/** Prefixes of a single setting that other programs do not use. */
const PREFIXES = /^(SESSION|DOCUMENTS|COST|CORS|STALE|METRICS|LIVE|AUDIT)_/;
/** Variables of Node and OpenTelemetry, which a file `.env` may also contain. */
const FOREIGN = /^(NODE|OTEL)_/;
/**
 * Variables that Kubernetes, systemd and desktops set. A Kubernetes service named `sandbox` gives
 * every pod `SANDBOX_PORT_4001_TCP` and others.
 */
const ORCHESTRATED =
  /_(SERVICE_HOST|SERVICE_PORT\w*|PORT_\d+_\w+)$|^(CACHE_DIRECTORY|SESSION_MANAGER)$/;

/** Names of at least `LONG_NAME` characters may have two typing errors, shorter names one. */
const LONG_NAME = 8;

/**
 * Returns a sentence for each variable that was probably meant as a setting: its name resembles a
 * setting, or it has the same prefix as several settings.
 *
 * @param fileNames the names in the file `.env`. They are all meant for this program.
 */
export function unknownSettings(env: Environment, fileNames: readonly string[]): string[] {
  const facts = ALL_SETTINGS.flatMap(factsOf);
  const known = facts.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : name));

  const isLikeSetting = (name: string): boolean => {
    const settingsOfPrefix = facts.filter((setting) => prefixOf(setting.name) === prefixOf(name));
    return PREFIXES.test(name) || settingsOfPrefix.length > 1;
  };
  const isSuspect = (name: string): boolean =>
    !ORCHESTRATED.test(name) && (isLikeSetting(name) || findSimilar(name, known) !== undefined);
  const suspects = Object.keys(env).filter(isSuspect);
  const meant = fileNames.filter((name) => !FOREIGN.test(name));
  const unknown = new Set([...suspects, ...meant].filter((name) => !known.includes(name)));

  return [...unknown].sort().map((name) => {
    const [longer] = known
      .filter((setting) => setting.startsWith(name))
      .sort((a, b) => a.length - b.length);
    const proposal = findSimilar(name, known) ?? longer;
    const advice = proposal === undefined ? '--help lists all' : `did you mean ${proposal}?`;
    return `unknown setting ${name}: ${advice}`;
  });
}

const prefixOf = (name: string): string => /^[^_]*_/.exec(name)?.[0] ?? name;

/** Returns the known name with the fewest typing errors; `undefined` if every name has too many. */
function findSimilar(name: string, known: readonly string[]): string | undefined {
  const maxDistance = name.length < LONG_NAME ? 1 : 2;
  let similar: string | undefined;
  let least = maxDistance + 1;
  for (const setting of known) {
    // A difference in length is the least number of typing errors.
    if (Math.abs(setting.length - name.length) >= least) continue;
    const errors = distance(name, setting);
    if (errors < least) {
      similar = setting;
      least = errors;
    }
  }
  return similar;
}
