import { createRequestWriter, type RequestTemplate } from '../load/requests.ts';
import type { Platform } from '../platform/index.ts';
import type { Server } from './servers.ts';
import type { Workload } from './workloads.ts';

/** The number of equal requests that arrive at once. */
export const AT_ONCE = 16;

/** The calls to the platform, by a title for each kind of request. */
export type CallCounts = Readonly<Record<string, number>>;

/**
 * Counts the platform's calls for one request of each workload, and for equal requests at once.
 * Each has arguments that no earlier request had.
 */
export async function countCalls(
  { kind }: Server,
  workloads: readonly Workload[],
  port: number,
  platform: Platform,
): Promise<CallCounts> {
  const counts: Record<string, number> = {};
  let number = FIRST_NUMBER;
  const count = async (request: RequestTemplate, times: number): Promise<number> => {
    await platform.count();
    const text = createRequestWriter(request, 'calls', number++)().text;
    await Promise.all(Array.from({ length: times }, () => send(port, request, text)));
    return (await platform.count()).calls;
  };
  for (const { name, isEqual, requests } of workloads) {
    const request = requests[kind];
    if (!isEqual) counts[name] = await count(request, 1);
    if (name === 'W1-equal') counts[`W1, ${AT_ONCE} at once`] = await count(request, AT_ONCE);
  }
  return counts;
}

/** The number of the first counted request. Measured requests have other numbers. */
const FIRST_NUMBER = 50_000;

async function send(port: number, request: RequestTemplate, text: string): Promise<void> {
  const { method, path, headers } = request;
  const [, body = ''] = text.split('\r\n\r\n');
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body });
  await response.arrayBuffer();
}
