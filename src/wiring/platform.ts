import type { Settings } from '../settings/index.ts';
import type { Dialect } from '../upstream/dialect.ts';
import type { Closers } from './closers.ts';
import { type Configuration, type Credentials, toCredentials } from './configuration.ts';
import { type RunningSandbox, startSandbox } from './sandbox.ts';

/** The platform that a gateway stands in front of. */
export interface Platform {
  /** The interface's `{base_url}`. */
  readonly url: string;
  readonly credentials: Credentials;
  /** Where the platform is the sandbox. */
  readonly sandbox: RunningSandbox | undefined;
}

/** Gives the configured platform, or starts a sandbox where none is. */
export async function findPlatform(configuration: Configuration, closers: Closers): Promise<Platform> {
  const { settings, credentials, dialect } = configuration;
  if (settings.UPSTREAM_URL !== undefined && credentials !== undefined) {
    return { url: settings.UPSTREAM_URL, credentials, sandbox: undefined };
  }
  const sandbox = await startSandbox(settings, closers);
  return { url: sandbox.url, credentials: firstUser(sandbox, settings, dialect), sandbox };
}

// Definitions name the user first whom the gateway asks as; the sample's may do everything.
function firstUser({ users }: RunningSandbox, settings: Settings, dialect: Dialect): Credentials {
  const [user] = users;
  if (user === undefined) throw new Error('The sandbox’s definitions name no user; add one to users.yaml.');
  return toCredentials(settings, dialect, user);
}
