import { ConfigError, type Environment, loadSettings, readJsonFile } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { type Dialect, defaultDialect, readDialect } from '../upstream/dialect.ts';
import { isJsonObject } from '../upstream/json.ts';
import type { Credentials } from '../upstream/sign-in.ts';
import { readAuthorities } from './authorities.ts';
import { type IdentityConfiguration, readIdentity } from './identity-configuration.ts';
import { type ReplicasConfiguration, readReplicas } from './replicas-configuration.ts';
import { readTyped, type TypedConfiguration } from './typed-configuration.ts';

/** Everything that a gateway is made from: the settings, and what the files that they name hold. */
export interface Configuration {
  readonly settings: Settings;
  readonly dialect: Dialect;
  /** Who may vouch for the platform, instead of those whom Node knows. */
  readonly authorities: readonly string[] | undefined;
  /**
   * The gateway's own. `undefined` with the sandbox, which brings credentials, and where callers bring theirs, unless the
   * gateway is given some to read definitions with.
   */
  readonly credentials: Credentials | undefined;
  readonly identity: IdentityConfiguration;
  /** `undefined` for a gateway that is alone. */
  readonly replicas: ReplicasConfiguration | undefined;
  /** `undefined` where forms have no types of their own. */
  readonly typed: TypedConfiguration | undefined;
}

/**
 * Reads the configuration from an environment.
 *
 * @throws {ConfigError} naming every problem of the settings and of the files that they name.
 */
export function readConfiguration(env: Environment): Configuration {
  const { settings, problems } = loadSettings(env);
  const dialect = loadDialect(settings.UPSTREAM_DIALECT, problems);
  const authorities = readAuthorities(settings.UPSTREAM_CA_FILE, problems);
  const identity = readIdentity(settings, problems);
  const replicas = readReplicas(settings, problems);
  const typed = readTyped(settings, problems);
  const isReading = typed !== undefined && (settings.UPSTREAM_USERNAME ?? settings.UPSTREAM_CREDENTIALS) !== undefined;
  const isOwn = settings.UPSTREAM_URL !== undefined && (settings.IDENTITY === 'service' || isReading);
  const credentials = isOwn ? readCredentials(settings, dialect, problems) : undefined;

  if (settings.UPSTREAM_URL === undefined) {
    const meant = ['UPSTREAM_USERNAME', 'UPSTREAM_PASSWORD', 'UPSTREAM_CREDENTIALS', 'UPSTREAM_TOKEN_URL'] as const;
    const lost = meant.filter((name) => settings[name] !== undefined);
    if (lost.length > 0)
      problems.push(`UPSTREAM_URL: is not set, but ${lost.join(', ')} is; set it, or unset the others`);
  }
  if (settings.UPSTREAM_URL !== undefined && settings.SANDBOX === 'on') {
    problems.push('SANDBOX: is on, and UPSTREAM_URL is set; unset one of them');
  }
  checkPlatform(settings, problems);
  if (settings.PAGE_SIZE > settings.PAGE_SIZE_MAX) {
    problems.push(`PAGE_SIZE: must not be larger than PAGE_SIZE_MAX (${settings.PAGE_SIZE_MAX})`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return { settings, dialect, authorities, credentials, identity, replicas, typed };
}

function checkPlatform(settings: Settings, problems: string[]): void {
  const { UPSTREAM_URL, UPSTREAM_AUTH, UPSTREAM_USERNAME, UPSTREAM_CREDENTIALS } = settings;
  if (UPSTREAM_URL?.endsWith('/v1.0')) problems.push('UPSTREAM_URL: must be without /v1.0, which every call adds');
  if (UPSTREAM_URL?.includes('?')) problems.push('UPSTREAM_URL: must be without a query');
  if (UPSTREAM_AUTH === 'basic' && UPSTREAM_USERNAME?.includes(':')) {
    problems.push('UPSTREAM_USERNAME: must be without a colon, at which a Basic pair is split');
  }
  if (UPSTREAM_AUTH === 'basic' && UPSTREAM_CREDENTIALS !== undefined) {
    problems.push('UPSTREAM_CREDENTIALS: is for UPSTREAM_AUTH=credentials; set that, or unset this');
  }
}

interface User {
  readonly username: string;
  readonly password: string;
}

/** Makes the credentials of one user, as the settings say how calls are authorized. */
export function toCredentials(settings: Settings, dialect: Dialect, user: User): Credentials {
  const { username, password } = user;
  if (settings.UPSTREAM_AUTH === 'basic') {
    return { variant: 'B', username, password, grantType: settings.UPSTREAM_GRANT_TYPE };
  }
  const { token } = dialect;
  return {
    variant: 'A',
    body: Object.fromEntries([
      [token.username, username],
      [token.password, password],
    ]),
  };
}

function readCredentials(settings: Settings, dialect: Dialect, problems: string[]): Credentials | undefined {
  const { UPSTREAM_AUTH, UPSTREAM_CREDENTIALS, UPSTREAM_USERNAME, UPSTREAM_PASSWORD } = settings;
  if (UPSTREAM_AUTH === 'credentials' && UPSTREAM_CREDENTIALS !== undefined) {
    const body = parseQuietly(UPSTREAM_CREDENTIALS);
    if (isJsonObject(body)) return { variant: 'A', body };
    problems.push('UPSTREAM_CREDENTIALS: must be a JSON object');
    return undefined;
  }
  if (UPSTREAM_USERNAME !== undefined && UPSTREAM_PASSWORD !== undefined) {
    return toCredentials(settings, dialect, { username: UPSTREAM_USERNAME, password: UPSTREAM_PASSWORD });
  }
  const instead = UPSTREAM_AUTH === 'credentials' ? ', or UPSTREAM_CREDENTIALS' : '';
  // A file that cannot be read is a problem already.
  if (problems.some((problem) => problem.startsWith('UPSTREAM_PASSWORD_FILE'))) return undefined;
  if (UPSTREAM_USERNAME === undefined) problems.push(`UPSTREAM_USERNAME: is needed with UPSTREAM_URL${instead}`);
  if (UPSTREAM_PASSWORD === undefined) problems.push(`UPSTREAM_PASSWORD: is needed with UPSTREAM_URL${instead}`);
  return undefined;
}

function loadDialect(path: string | undefined, problems: string[]): Dialect {
  if (path === undefined) return defaultDialect();
  const found = readJsonFile(path);
  if ('problem' in found) {
    problems.push(`UPSTREAM_DIALECT: ${found.problem}`);
    return defaultDialect();
  }
  const reading = readDialect(found.value);
  if ('dialect' in reading) return reading.dialect;
  problems.push(...reading.problems.map((problem) => `UPSTREAM_DIALECT: ${path}: ${problem}`));
  return defaultDialect();
}

// What went wrong is not said: a parser's message would quote the secret.
function parseQuietly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
