import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { SignJWT } from 'jose';
import { replaceFile } from '../../reload/support.ts';
import { writeFolder } from '../../support/folder.ts';
import { keySetUrl } from '../../support/key-set.ts';
import { runMain } from '../../support/run.ts';
import { FILE, ROLES } from './model.ts';
import { startPlatform } from './platform.ts';
import { play, type Send, type Step, sequences } from './play.ts';

interface ProofOptions {
  readonly runs: number;
  readonly seed: number;
  /** The folder of the tested program. Default: this checkout. */
  readonly root?: string | undefined;
  /** Whether these problems end the search. Default: any problem. */
  readonly isEnough?: (problems: readonly string[]) => boolean;
}

/**
 * Plays random sequences of three roles against a process in production, until they show a problem.
 */
export async function proveRoles({
  runs,
  seed,
  root,
  isEnough = (found) => found.length > 0,
}: ProofOptions) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const platform = await startPlatform();
  const file = join(writeFolder({ 'roles.json': FILE }), 'roles.json');
  const run = runMain(
    [],
    {
      // A role may read the schema.
      PLAYGROUND: 'on',
      ...{ NODE_ENV: 'production', PORT: '0', LOG_LEVEL: 'warn' },
      ...{ UPSTREAM_URL: platform.url, UPSTREAM_USERNAME: 'u', UPSTREAM_PASSWORD: 'p' },
      CALLER_AUTH: 'jwt',
      CALLER_JWKS_URL: await keySetUrl(publicKey),
      ROLES: file,
      EXTENSIONS: join(import.meta.dirname, 'extension.ts'),
      CACHE_INSTANCES_MS: '50',
    },
    undefined,
    root && join(root, 'src/main.ts'),
  );
  const url = await run.printed(/GraphQL at (\S+)\/graphql/);
  const tokens = new Map<string, string>();
  for (const subject of ['ann', 'bob']) {
    for (const role of ROLES) {
      const token = new SignJWT({ roles: [role] })
        .setProtectedHeader({ alg: 'ES256' })
        .setSubject(subject);
      tokens.set(`${subject} ${role}`, await token.setExpirationTime('3h').sign(privateKey));
    }
  }
  const request = (subject: string, role: string, body: object) => ({
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${tokens.get(`${subject} ${role}`)}`,
    },
    body: JSON.stringify(body),
  });
  const send: Send = async ({ subject, role }, body) => {
    const response = await fetch(`${url}/graphql`, request(subject, role, body));
    return { status: response.status, text: await response.text() };
  };
  let played = 0;
  const problems: string[] = [];
  const delays = async (sequence: readonly Step[]): Promise<boolean> => {
    problems.push(...(await play(sequence, ++played, { ...platform, send })));
    return !isEnough(problems);
  };
  const { counterexample } = await fc.check(fc.asyncProperty(sequences, delays), {
    ...{ seed, numRuns: runs, endOnFailure: true },
  });
  if (problems.length === 0) {
    const goesOn = await playSwap({
      send,
      open: (signal) => fetch(`${url}/graphql`, { ...request('ann', 'keeper', WATCH), signal }),
      swap() {
        replaceFile(file, JSON.stringify(WITHOUT_SECRET));
        run.stop('SIGHUP');
      },
    });
    problems.push(...goesOn);
  }
  // After a problem the process is killed, because an orderly end takes too long.
  if (problems.length > 0) return { played, problems, sequence: counterexample?.[0] };
  run.stop();
  const { code, stderr } = await run.ended;
  return {
    played,
    problems: code === 0 && stderr === '' ? [] : [`the process ended with ${code}: ${stderr}`],
  };
}

const READ = { query: '{ instances(formId: "secret", first: 1) { totalCount } }' };
const WATCH = { query: 'subscription { instances(formId: "secret", first: 1) { totalCount } }' };
const WITHOUT_SECRET = {
  ...FILE,
  roles: { ...FILE.roles, keeper: { forms: { gamma: ['read'] } } },
};

interface Swap {
  readonly send: Send;
  readonly open: (signal: AbortSignal) => Promise<Response>;
  readonly swap: () => void;
}

/** Removes a form from a role while a stream reads it. Returns the streams that continue. */
async function playSwap({ send, open, swap }: Swap): Promise<readonly string[]> {
  const closing = new AbortController();
  const stream = await open(closing.signal);
  let isOpen = true;
  const ended = stream.text().then(
    () => {
      isOpen = false;
    },
    () => undefined,
  );
  swap();
  const read = () => send({ subject: 'ann', role: 'keeper' }, READ);
  for (let { status } = await read(); status === 200; { status } = await read()) {
    // The gateway checks the file every half second.
  }
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, ENDED_MS).unref())]);
  closing.abort();
  await ended;
  return isOpen ? ['a stream goes on after its role has lost the form'] : [];
}

/** A stream ends within a second. A busy machine takes longer. */
const ENDED_MS = 5_000;
