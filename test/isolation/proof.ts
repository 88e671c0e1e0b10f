import fc from 'fast-check';
import type { Leak } from './leaks.ts';
import { startPlatform } from './platform/index.ts';
import { createClient } from './play/client.ts';
import { play, type Stage } from './play/index.ts';
import { sequences } from './sequence/arbitrary.ts';
import type { Sequence } from './sequence/sequence.ts';
import { type Setup, startSubject } from './subject.ts';

export interface ProofOptions {
  readonly runs: number;
  readonly seed: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of the tested program. Default: this checkout. */
  readonly root?: string;
  /** The number of gateways that serve the callers. Default 1. */
  readonly replicas?: number;
  /** The planted fault. The proof then searches for nothing else. */
  readonly leak?: Leak;
  /** Whether a failed sequence is made smaller before it is shown. */
  readonly isShrinking: boolean;
  readonly onSequence?: (count: number) => void;
}

/** Plays random sequences against the real process until one shows a leak. */
export async function prove(setup: Setup, options: ProofOptions) {
  const { runs, seed, env, root, replicas = 1, leak, isShrinking, onSequence } = options;
  const shows = leak?.shows ?? /./;
  // With a planted leak, a waiting caller is not a problem.
  const stalledMs = leak ? 300 : 15_000;
  const platform = await startPlatform(setup.variant);
  const start = () =>
    Promise.all(
      Array.from({ length: replicas }, () =>
        startSubject(setup, platform.url, { env, root, leak }),
      ),
    );
  let subjects = await start();
  const end = async () => (await Promise.all(subjects.map((subject) => subject.end()))).flat();
  const client = createClient((headers) => subjects[replicaOf(headers) % replicas]?.url ?? '');
  const stage: Stage = { platform, client, mode: setup.mode, stalledMs, lingering: new Set() };
  let played = 0;
  let problems: string[] = [];

  const delays = async (sequence: Sequence): Promise<boolean> => {
    const found = await play(sequence, ++played, stage);
    onSequence?.(played);
    if (found.length === 0) return true;
    const shown = found.filter((problem) => shows.test(problem));
    if (shown.length > 0) problems = shown;
    // A leak may leave traces behind. The next sequence gets a new process, or at least a new
    // fault.
    if (isShrinking) {
      await end();
      subjects = await start();
    } else {
      for (const { renew } of subjects) renew();
    }
    return shown.length === 0;
  };
  const verdict = await fc.check(fc.asyncProperty(sequences, delays), {
    ...{ seed, numRuns: runs, endOnFailure: !isShrinking },
  });
  // With a planted leak, only its own problem counts in the output of the process.
  if (!verdict.failed) problems.push(...(await end()).filter((problem) => shows.test(problem)));
  if (verdict.failed && problems.length === 0) problems.push(String(verdict.errorInstance));
  return {
    /** The number of sequences up to the first failure. */
    runs: verdict.numRuns,
    /** The problems of the smallest failed sequence. Empty without a failure. */
    problems,
    smallest: verdict.counterexample?.[0],
    seed: verdict.seed,
    requests: client.requestCount,
    calls: platform.ledger.count,
  };
}

/** Returns the replica of a session. A caller's next session may be at another one. */
function replicaOf({ authorization, cookie }: Readonly<Record<string, string>>): number {
  const secret = (authorization ?? cookie ?? '').replace(/^(Bearer |__Host-caseway=)/, '');
  // The last character has only two bits.
  return secret === '' ? 0 : secret.charCodeAt(secret.length - 3);
}
