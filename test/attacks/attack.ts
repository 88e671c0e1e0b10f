import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import { type Answer, type Attack, LEAK } from './request.ts';
import type { Target } from './target.ts';

/** The result of an attack. */
export interface Damage {
  /** The growth of the target's memory, in bytes. */
  readonly growth: number;
  /** Descriptions of wrong responses, output that leaked something, and the end of the process. */
  readonly faults: readonly string[];
}

/** Runs an attack and returns its damage. */
export const attack = (target: Target, given: Attack): Promise<Damage> =>
  suffer(target, given, given.prepare());

/**
 * Runs an attack while another client sends requests.
 *
 * `stallMs` is the longest time that the target spent on other work before it answered one of them.
 */
export async function attackBeside(
  target: Target,
  given: Attack,
): Promise<Damage & { readonly stallMs: number }> {
  const prepared = given.prepare();
  const pinger = new Worker(new URL('./pinger.ts', import.meta.url), {
    workerData: { url: target.url, pid: target.pid },
  });
  await once(pinger, 'message');
  const damage = await suffer(target, given, prepared);
  pinger.postMessage('over');
  const [{ longestMs }] = await once(pinger, 'message');
  return { ...damage, stallMs: longestMs };
}

async function suffer(
  target: Target,
  { status }: Attack,
  run: ReturnType<Attack['prepare']>,
): Promise<Damage> {
  const before = target.memory();
  const answers = await run(target.url, target);
  const growth = target.isAlive() ? target.memory() - before : 0;

  const faults = answers.flatMap((answer) => faultsOf(answer, status));
  if (!target.isAlive()) faults.push('the process ended');
  if (LEAK.test(target.output())) faults.push(`printed too much: ${LEAK.exec(target.output())}`);
  return { growth, faults: [...new Set(faults)].slice(0, 3) };
}

const faultsOf = ({ status, text }: Answer, right: readonly number[]): readonly string[] => [
  ...(right.includes(status) ? [] : [`answered ${status}: ${text.slice(0, 300)}`]),
  ...(LEAK.test(text) ? [`said too much: ${LEAK.exec(text)}`] : []),
];
