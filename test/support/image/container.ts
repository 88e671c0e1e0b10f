import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';

import type { Layout } from './layout.ts';

type Variables = Readonly<Record<string, string>>;

/** A user without a name, a home or a right on the layout's files. */
const UID = 65_534;
const SETPRIV = '/usr/bin/setpriv';
const AS_NOBODY = [`--reuid=${UID}`, `--regid=${UID}`, '--clear-groups', '--no-new-privs'];

/** Why this machine cannot run an image's layout as another user; `undefined` when it can. */
export function whyNoContainer(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can become another user';
  return existsSync(SETPRIV) ? undefined : 'there is no setpriv';
}

/**
 * A process that runs like the image's: as another user, and with the image's environment alone.
 */
export interface Container {
  /** Waits for the URL that the gateway prints. */
  readonly address: Promise<string>;
  /** Waits until the output matches the pattern, and returns the match or its first group. */
  printed(pattern: RegExp): Promise<string>;
  /** Asks it to stop, as an orchestrator does; resolves to the exit status. */
  stop(): Promise<number | null>;
  /** Ends it without waiting for anything. */
  kill(): void;
}

export function startContainer({ workdir, env, start }: Layout, variables: Variables): Container {
  const child = spawn(SETPRIV, [...AS_NOBODY, ...start], {
    cwd: workdir,
    env: { ...env, ...variables },
  });
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const complaints = text(child.stderr);

  const printed = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const [whole, part = whole] = pattern.exec(output) ?? [];
        if (part !== undefined) resolve(part);
      });
      exit.then(
        async ([status]) => reject(new Error(`ended with ${status}: ${output}${await complaints}`)),
        reject,
      );
    });
  const address = printed(/http:\/\/\S+(?=\/graphql)/);
  // A process that is no gateway ends without one.
  address.catch(() => undefined);

  return {
    address,
    printed,
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      child.kill('SIGTERM');
      const [status] = await exit;
      return status;
    },
  };
}

/**
 * Runs the image's health check once, beside its process; resolves to the exit status, 0 for
 * healthy.
 */
export async function checkHealth(
  { workdir, env, healthcheck }: Layout,
  variables: Variables,
): Promise<number | null> {
  const child = spawn(SETPRIV, [...AS_NOBODY, ...healthcheck], {
    cwd: workdir,
    env: { ...env, ...variables },
  });
  const [status] = (await once(child, 'exit')) as [number | null];
  return status;
}
