import type { Config, PlatformLogin } from './config/config.ts';
import type { Log } from './core/log.ts';
import type { ConfiguredFeature } from './feature.ts';
import type { Dialect } from './upstream/dialect.ts';
import type { Credentials } from './upstream/sign-in.ts';

interface PlatformConfig extends Pick<Config, 'settings' | 'login' | 'transport'> {
  readonly dialect: Dialect;
}

/** Where forms, cases and rules are. */
export interface Platform {
  /** The interface's `{base_url}`. */
  readonly url: string;
  /** The gateway's own; it may have none where callers bring theirs. */
  readonly credentials: Credentials | undefined;
  /** Lines for those who start the gateway. */
  readonly about: readonly string[];
}

/** No platform: nothing is called there. */
export const NOWHERE: Platform = { url: 'http://platform.invalid', credentials: undefined, about: [] };

/** The configured platform, or the one that a feature opens. @throws {Error} where there is neither. */
export async function findPlatform(
  config: PlatformConfig & { readonly features: readonly ConfiguredFeature[] },
  { log, resources }: { readonly log: Log; readonly resources: AsyncDisposableStack },
): Promise<Platform> {
  const { settings, login, features } = config;
  if (settings.UPSTREAM_URL !== undefined) {
    return { url: settings.UPSTREAM_URL, credentials: login && toCredentials(config, login), about: [] };
  }
  const { openPlatform } = features.find((feature) => feature.openPlatform) ?? {};
  if (openPlatform === undefined) throw new Error('There is no platform: set UPSTREAM_URL.');
  const { url, user, about } = await openPlatform({ log, defer: (close) => resources.defer(close) });
  return { url, credentials: toCredentials(config, user), about };
}

/** The credentials of `getToken` for a user, or the body that is configured. */
export function toCredentials({ settings, dialect: { token } }: PlatformConfig, login: PlatformLogin): Credentials {
  if ('body' in login) return { variant: 'A', body: login.body };
  const { username, password } = login;
  if (settings.UPSTREAM_AUTH === 'basic') return { variant: 'B', username, password };
  return { variant: 'A', body: { [token.username]: username, [token.password]: password } };
}

/** The address of `getToken`; `undefined` where it is among the platform's operations. */
export function tokenUrlOf(baseUrl: string, { token: { url } }: Dialect): URL | undefined {
  return url === null ? undefined : new URL(url, `${baseUrl.replace(/\/+$/, '')}/`);
}
