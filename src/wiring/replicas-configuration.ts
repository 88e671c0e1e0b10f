import type { Settings } from '../config/settings.ts';
import { type Keys, readKeys } from './keys.ts';

/** What the settings say of replicas, checked. */
export interface ReplicasConfiguration {
  /** With user and password, where there are any. */
  readonly url: string;
  readonly keys: Keys;
}

/** Reads what belongs to replicas, and adds to the problems; `undefined` for a gateway that is alone. */
export function readReplicas(settings: Settings, problems: string[]): ReplicasConfiguration | undefined {
  const { REDIS_URL: url, SESSION_KEYS, UPSTREAM_URL } = settings;
  const keys = readKeys('SESSION_KEYS', SESSION_KEYS, []);
  if (url === undefined) return undefined;
  if (UPSTREAM_URL === undefined) {
    problems.push('REDIS_URL: is for replicas in front of one platform; set UPSTREAM_URL, or unset this');
  }
  if (keys !== undefined) return { url, keys };
  // A file that cannot be read is a problem already.
  if (!problems.some((problem) => problem.startsWith('SESSION_KEYS'))) {
    problems.push('SESSION_KEYS: is needed with REDIS_URL; "openssl rand -base64 32" makes a key');
  }
  return undefined;
}
