import type { Credentials } from '../upstream/sign-in.ts';
import type { Closers } from './closers.ts';
import { type Configuration, toCredentials } from './configuration.ts';
import { type RunningSandbox, startSandbox } from './sandbox.ts';

/** The platform that a gateway stands in front of. */
export interface Platform {
  /** The interface's `{base_url}`. */
  readonly url: string;
  /** The gateway's own; it may have none where callers bring theirs. */
  readonly credentials: Credentials | undefined;
  /** Where the platform is the sandbox. */
  readonly sandbox: RunningSandbox | undefined;
}

/**
 * Gives the configured platform, or starts a sandbox where none is.
 *
 * @throws {Error} where there is no platform, and the sandbox is off.
 */
export async function findPlatform(configuration: Configuration, closers: Closers): Promise<Platform> {
  const { settings, credentials } = configuration;
  if (settings.UPSTREAM_URL !== undefined) return { url: settings.UPSTREAM_URL, credentials, sandbox: undefined };

  const { SANDBOX = settings.NODE_ENV === 'production' ? 'off' : 'on' } = settings;
  if (SANDBOX === 'off') {
    throw new Error('There is no platform: set UPSTREAM_URL, or SANDBOX=on for the embedded one with sample data.');
  }
  const sandbox = await startSandbox(settings, closers);
  return { url: sandbox.url, credentials: firstUser(sandbox, configuration), sandbox };
}

// Definitions name the user first whom the gateway asks as; the sample's may do everything.
function firstUser({ users }: RunningSandbox, { settings, dialect }: Configuration): Credentials {
  const [user] = users;
  if (user === undefined) throw new Error('The sandbox’s definitions name no user; add one to users.yaml.');
  return toCredentials(settings, dialect, user);
}
