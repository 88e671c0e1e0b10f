import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import { type Answer, type Attack, LEAK, send } from './request.ts';
import type { Target } from './target.ts';

/** What an attack did. */
export interface Damage {
  readonly answers: readonly Answer[];
  /** How much the memory grew, in bytes. */
  readonly growth: number;
  /** What should not have been, in words. */
  readonly faults: readonly string[];
}

/** Runs an attack, one request after the other. */
export async function attack(target: Target, { requests, status }: Attack): Promise<Damage> {
  const all = requests();
  const before = target.memory();
  const answers: Answer[] = [];
  for (const bytes of all) answers.push(await send(target.url, bytes));
  const growth = target.isAlive() ? target.memory() - before : 0;

  const faults = answers.flatMap((answer) => [
    ...(status.includes(answer.status) ? [] : [`answered ${answer.status}: ${answer.text.slice(0, 300)}`]),
    ...(LEAK.test(answer.text) ? [`said too much: ${answer.text.slice(0, 300)}`] : []),
  ]);
  if (!target.isAlive()) faults.push('the process ended');
  if (LEAK.test(target.output())) faults.push(`printed too much: ${LEAK.exec(target.output())}`);
  return { answers, growth, faults: [...new Set(faults)].slice(0, 3) };
}

/** Runs an attack while another client asks; `stallMs` is that client's longest wait. */
export async function attackBeside(target: Target, given: Attack): Promise<Damage & { readonly stallMs: number }> {
  const prepared = given.requests();
  const pinger = new Worker(new URL('./pinger.ts', import.meta.url), { workerData: target.url });
  await once(pinger, 'message');
  const damage = await attack(target, { ...given, requests: () => prepared });
  pinger.postMessage('over');
  const [{ longestMs }] = await once(pinger, 'message');
  return { ...damage, stallMs: longestMs };
}
