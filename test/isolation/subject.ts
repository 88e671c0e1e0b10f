import { join } from 'node:path';

import { type Run, runMain } from '../support/run.ts';
import { type Leak, startFaultyProxy } from './leaks.ts';
import { PASSWORD_WORD, TOKEN_WORD } from './platform/people.ts';
import type { Variant } from './platform/sign-in.ts';

/** A setup under test: how callers sign in, and how the platform authorizes. */
export interface Setup {
  readonly mode: 'user' | 'forward';
  readonly variant: Variant;
}

interface SubjectOptions {
  /** More settings. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The folder of the tested program. Default: this checkout. */
  readonly root?: string | undefined;
  /** A fault outside the program. */
  readonly leak?: Leak | undefined;
}

/** Starts the program before a platform, in a process of its own. */
export async function startSubject(
  { mode, variant }: Setup,
  platformUrl: string,
  { env, root, leak }: SubjectOptions = {},
) {
  let renew = () => {};
  const through = async (side: Leak['side'], target: string): Promise<string> => {
    if (leak?.side !== side) return target;
    const proxy = await startFaultyProxy(target, leak.make);
    renew = proxy.renew;
    return proxy.url;
  };
  const settings = {
    ...{ PORT: '0', NODE_ENV: 'production', LOG_LEVEL: 'debug', IDENTITY: mode },
    UPSTREAM_URL: await through('platform', platformUrl),
    UPSTREAM_AUTH: variant === 'A' ? 'credentials' : 'basic',
    EXTENSIONS: join(import.meta.dirname, 'extension.ts'),
    SESSION_KEYS: Buffer.alloc(32, 7).toString('base64url'),
    ...env,
  };
  const run = runMain([], settings, undefined, root && join(root, 'src/main.ts'));
  const own = await run.printed(/GraphQL at (\S+)\/graphql/);
  return {
    url: await through('callers', own),
    /** Creates a new fault. */
    renew: () => renew(),
    /** Ends the process, and returns the problems in its output. */
    end: () => endOf(run, own),
  };
}

/**
 * Kills the process after its output is complete. An orderly end takes five seconds, and has a test
 * elsewhere.
 */
async function endOf(run: Run, url: string): Promise<string[]> {
  const last = { 'x-request-id': 'the-last-request' };
  // A process that has ended by itself does not respond.
  await fetch(`${url}/graphql?query={__typename}`, { headers: last }).catch(() => undefined);
  await run.printed(/the-last-request/).catch(() => undefined);
  run.stop('SIGKILL');
  const { code, stdout, stderr } = await run.ended;
  const printed = stdout + stderr;
  const secrets = ['cnry!', TOKEN_WORD, PASSWORD_WORD].filter((word) => printed.includes(word));
  return [
    ...secrets.map((word) => `the process printed a ${word}`),
    ...(/eyJhbGciOiJkaXIi/.test(printed) ? ['the process printed a session'] : []),
    ...(code === null ? [] : [`the process ended with ${code}: ${stderr}`]),
  ];
}
