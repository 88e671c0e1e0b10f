import type { Sandbox } from '../sandbox/index.ts';
import type { Config, PlatformLogin } from './config/config.ts';
import type { Settings } from './config/settings.ts';
import type { Log } from './core/log.ts';
import type { Observers } from './core/observers.ts';
import type { SharedState } from './feature.ts';
import type { Dialect } from './upstream/dialect.ts';
import { createUpstreamFactory, type UpstreamFactory } from './upstream/index.ts';
import { createCallBudget } from './upstream/rate-limit.ts';
import type { Credentials } from './upstream/sign-in.ts';

interface PlatformConfig extends Pick<Config, 'settings' | 'login'> {
  readonly dialect: Dialect;
}

/** A sandbox that listens. */
export interface RunningSandbox {
  /** The interface's `{base_url}`. */
  readonly url: string;
  readonly users: Sandbox['users'];
}

/** Where forms, cases and rules are. */
export interface Platform {
  /** The interface's `{base_url}`. */
  readonly url: string;
  /** The gateway's own; it may have none where callers bring theirs. */
  readonly credentials: Credentials | undefined;
  readonly sandbox: RunningSandbox | undefined;
}

/** No platform: nothing is called there. */
export const NOWHERE: Platform = { url: 'http://platform.invalid', credentials: undefined, sandbox: undefined };

/** The configured platform, or a sandbox that is started. @throws {Error} where there is neither. */
export async function findPlatform(
  config: PlatformConfig,
  resources: AsyncDisposableStack,
  onSandboxError?: (cause: string) => void,
): Promise<Platform> {
  const { settings, login } = config;
  if (settings.UPSTREAM_URL !== undefined) {
    return { url: settings.UPSTREAM_URL, credentials: login && toCredentials(config, login), sandbox: undefined };
  }
  const { SANDBOX = settings.NODE_ENV === 'production' ? 'off' : 'on' } = settings;
  if (SANDBOX === 'off') {
    throw new Error('There is no platform: set UPSTREAM_URL, or SANDBOX=on for the embedded one with sample data.');
  }
  const sandbox = await startSandbox(settings, resources, onSandboxError);
  const [user] = sandbox.users;
  if (user === undefined) throw new Error('The sandbox’s definitions name no user; add one to users.yaml.');
  return { url: sandbox.url, credentials: toCredentials(config, user), sandbox };
}

const SANDBOX_PACKAGES_MISSING =
  'The sandbox’s packages feelin and yaml are not installed: run "npm install" without --omit=optional, build the image’s target "sandbox", or set UPSTREAM_URL.';

/** Starts the embedded platform. */
export async function startSandbox(
  settings: Settings,
  resources: AsyncDisposableStack,
  onError?: (cause: string) => void,
): Promise<RunningSandbox> {
  // Loaded only where it is used. Its packages are optional, and the image has none of them.
  const { createSandbox } = await import('../sandbox/index.ts').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error(SANDBOX_PACKAGES_MISSING, { cause });
  });
  const { SANDBOX_DEFINITIONS: definitions } = settings;
  const sandbox = createSandbox({
    file: settings.SANDBOX_FILE,
    requestLimit: settings.SANDBOX_REQUEST_LIMIT,
    onError: (operation, cause) => onError?.(`${operation}: ${'errstr' in cause ? cause.errstr : cause.name}`),
    ...(definitions !== undefined && { definitions }),
  });
  resources.defer(sandbox.close);
  return { users: sandbox.users, url: await sandbox.listen({ port: settings.SANDBOX_PORT, host: '127.0.0.1' }) };
}

/** What `getToken` needs for a user, or the body that is configured. */
export function toCredentials({ settings, dialect: { token } }: PlatformConfig, login: PlatformLogin): Credentials {
  if ('body' in login) return { variant: 'A', body: login.body };
  const { username, password } = login;
  if (settings.UPSTREAM_AUTH === 'basic') {
    return { variant: 'B', username, password, grantType: settings.UPSTREAM_GRANT_TYPE };
  }
  return {
    variant: 'A',
    body: Object.fromEntries([
      [token.username, username],
      [token.password, password],
    ]),
  };
}

interface UpstreamParts {
  readonly shared?: SharedState;
  readonly observers?: Observers | undefined;
  readonly log?: Log | undefined;
}

/** Connects to the platform at `baseUrl`. Nothing is sent before the first call. */
export function connectUpstream(
  baseUrl: string,
  { settings, dialect }: PlatformConfig,
  { shared = {}, observers, log }: UpstreamParts = {},
): UpstreamFactory {
  const limits = { calls: settings.UPSTREAM_CALLS_PER_MINUTE, polls: shared.pollsPerMinute };
  const isLimited = limits.calls !== undefined || limits.polls !== undefined;
  const { tokenRenewal } = shared;
  return createUpstreamFactory({
    baseUrl,
    tokenUrl: settings.UPSTREAM_TOKEN_URL,
    variant: settings.UPSTREAM_AUTH === 'credentials' ? 'A' : 'B',
    dialect,
    timeoutMs: settings.UPSTREAM_TIMEOUT_MS,
    callBudget: isLimited ? createCallBudget(limits, shared.callCounters) : undefined,
    sharedPause: shared.sharedPause,
    sharedRenewal:
      tokenRenewal && ((credentials) => tokenRenewal(JSON.stringify(credentials), settings.UPSTREAM_TIMEOUT_MS)),
    observers,
    onConnection(host, isLost) {
      if (isLost) log?.warn(`connection to the ${host} lost`);
      else log?.info(`connection to the ${host} restored`);
    },
  });
}
