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
  /** The tree whose program is put to the proof; this one where absent. */
  readonly root?: string;
  /** How many gateways serve the callers; one by default. */
  readonly replicas?: number;
  /** What is wrong on purpose; the proof looks for nothing else then. */
  readonly leak?: Leak;
  /** Whether a sequence that fails is made smaller before it is shown. */
  readonly isShrinking: boolean;
  readonly onSequence?: (count: number) => void;
}

/** Plays random sequences against the real process until one shows a leak. */
export async function prove(setup: Setup, options: ProofOptions) {
  const { runs, seed, env, root, replicas = 1, leak, isShrinking, onSequence } = options;
  const shows = leak?.shows ?? /./;
  // Where a leak is looked for, who waits shows nothing.
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
    // What leaked once may have left something behind: the next sequence meets a process, or at least a fault, that knows nothing.
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
  // What a process with a leak has printed shows nothing more.
  if (!verdict.failed) problems.push(...(await end()).filter((problem) => shows.test(problem)));
  if (verdict.failed && problems.length === 0) problems.push(String(verdict.errorInstance));
  return {
    /** Sequences played until the first that failed, it included. */
    runs: verdict.numRuns,
    /** Of the smallest sequence that failed; empty where none did. */
    problems,
    smallest: verdict.counterexample?.[0],
    seed: verdict.seed,
    requests: client.requestCount,
    calls: platform.ledger.count,
  };
}

/** A session stays with one replica, which may be another than the one that opened it; a caller's next one may not. */
function replicaOf({ authorization, cookie }: Readonly<Record<string, string>>): number {
  const secret = (authorization ?? cookie ?? '').replace(/^(Bearer |__Host-caseway=)/, '');
  // The very last character has two bits.
  return secret === '' ? 0 : secret.charCodeAt(secret.length - 3);
}
