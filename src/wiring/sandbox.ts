import type { Sandbox } from '../../sandbox/index.ts';
import type { Settings } from '../config/settings.ts';
import type { Closers } from './closers.ts';

/** A sandbox that listens. */
export interface RunningSandbox {
  /** The interface's `{base_url}`. */
  readonly url: string;
  readonly users: Sandbox['users'];
}

/** Starts a sandbox as the settings say. */
export async function startSandbox(settings: Settings, closers: Closers): Promise<RunningSandbox> {
  // Loaded only where it is needed: a gateway in front of a real platform has no use for it.
  const { createSandbox } = await import('../../sandbox/index.ts');
  const { SANDBOX_DEFINITIONS: definitions } = settings;
  const sandbox = createSandbox({
    file: settings.SANDBOX_FILE,
    requestLimit: settings.SANDBOX_REQUEST_LIMIT,
    ...(definitions !== undefined && { definitions }),
  });
  closers.add(sandbox.close);
  return { users: sandbox.users, url: await sandbox.listen({ port: settings.SANDBOX_PORT, host: '127.0.0.1' }) };
}
