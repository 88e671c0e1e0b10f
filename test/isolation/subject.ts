import { join } from 'node:path';

import { type Run, runMain } from '../support/run.ts';
import { type Leak, startFaultyProxy } from './leaks.ts';
import { PASSWORD_WORD, TOKEN_WORD } from './platform/people.ts';
import type { Variant } from './platform/sign-in.ts';

/** What is put to the proof: how callers are known, and how the platform authorizes. */
export interface Setup {
  readonly mode: 'user' | 'forward';
  readonly variant: Variant;
}

/** A gateway in a process of its own. */
export interface Subject {
  readonly url: string;
  /** Ends the process and gives what is wrong with what it printed. */
  end(): Promise<string[]>;
}

interface SubjectOptions {
  /** More settings. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The tree whose program is put to the proof; this one where absent. */
  readonly root?: string | undefined;
  /** A fault beside the program. */
  readonly leak?: Leak | undefined;
}

/** Starts the program in front of a platform. */
export async function startSubject(
  { mode, variant }: Setup,
  platformUrl: string,
  { env, root, leak }: SubjectOptions = {},
): Promise<Subject> {
  const upstreamUrl = leak?.side === 'platform' ? await startFaultyProxy(platformUrl, leak.make()) : platformUrl;
  const settings = {
    ...{ PORT: '0', NODE_ENV: 'production', LOG_LEVEL: 'debug', IDENTITY: mode, UPSTREAM_URL: upstreamUrl },
    UPSTREAM_AUTH: variant === 'A' ? 'credentials' : 'basic',
    EXTENSIONS: join(import.meta.dirname, 'extension.ts'),
    SESSION_KEYS: Buffer.alloc(32, 7).toString('base64url'),
    // A busy machine is not what is put to the proof, and nobody waits for the process to end.
    ...env,
  };
  const run = runMain([], settings, undefined, root && join(root, 'src/main.ts'));
  const own = await run.printed(/GraphQL at (\S+)\/graphql/);
  const url = leak?.side === 'callers' ? await startFaultyProxy(own, leak.make()) : own;
  return { url, end: () => endOf(run) };
}

async function endOf(run: Run): Promise<string[]> {
  run.stop();
  const { code, stdout, stderr } = await run.ended;
  const printed = stdout + stderr;
  const secrets = ['cnry!', TOKEN_WORD, PASSWORD_WORD].filter((word) => printed.includes(word));
  return [
    ...secrets.map((word) => `the process printed a ${word}`),
    ...(/eyJhbGciOiJkaXIi/.test(printed) ? ['the process printed a session'] : []),
    ...(code === 0 ? [] : [`the process ended with ${code}: ${stderr}`]),
  ];
}
