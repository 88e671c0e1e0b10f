import { onTestFinished } from 'vitest';

import { createLink, type Link } from '../../../src/store/replicas/link.ts';
import { createLog } from '../../../src/telemetry/log.ts';

/** What a link waits at most, where a test does not mean to wait: a busy machine is no reason to fail. */
const PATIENT_MS = 5_000;

interface LinkUse<T> {
  readonly timeoutMs?: number;
  /** Has the link before it is open. */
  readonly prepare?: (link: Link) => T;
}

/** A link to a server, open, that ends with the test; `said` holds what it logs, `prepared` what `prepare` made. */
export async function openLink<T>(url: string, { timeoutMs = PATIENT_MS, prepare }: LinkUse<T> = {}) {
  const said: string[] = [];
  const log = createLog('info', { write: (line) => void said.push(JSON.parse(line).msg) });
  const link = createLink({ url, timeoutMs, log });
  onTestFinished(link.close);
  const prepared = prepare?.(link) as T;
  await link.open();
  return { link, said, prepared };
}

/** Sends a text command, and gives its reply as text. */
export const ask = async ({ send }: Link, name: string, ...args: readonly string[]): Promise<string> =>
  String(await send(name, ...args));
