import { existsSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request as sendRequest } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

import { median } from '../../../bench/benchmark.ts';
import { createRequestWriter, type RequestTemplate } from '../../../bench/load/requests.ts';
import { type Environment, freePort, NODE_OPTIONS } from '../../../bench/test-bed.ts';

const WARM_UP = 30;
const COUNTED = 20;

/** The environment in which the gateway counts its promises, with metrics on as in production. */
export const countingEnvironment = async (folder: string): Promise<Environment> => ({
  METRICS_PORT: String(await freePort()),
  NODE_OPTIONS: `${NODE_OPTIONS} --import=${join(import.meta.dirname, 'count-promises.ts')}`,
  COUNT_FOLDER: folder,
});

interface CountingServer {
  readonly port: number;
  readonly pid: number;
  /** As the server's environment has it. */
  readonly folder: string;
}

/**
 * Counts the promises that a server makes for one answer, by equal or numbered requests one after
 * the other.
 */
export const countPromises = (server: CountingServer, request: RequestTemplate, from: number) =>
  countEach(server, { request, from, warmUp: WARM_UP, counted: COUNTED }).then(
    ({ promises }) => promises,
  );

/**
 * Counts the bytes of one response that the garbage collector promotes to old space. Temporary
 * objects should not be promoted: each such byte is copied twice and waits for a full collection.
 * The median leaves out what a full collection frees.
 */
export async function countPromoted(
  server: CountingServer,
  request: RequestTemplate,
): Promise<number> {
  const bytes: number[] = [];
  for (const warmUp of [1_500, 0, 0, 0, 0]) {
    bytes.push((await countEach(server, { request, from: 0, warmUp, counted: 600 })).oldBytes);
  }
  return median(bytes);
}

interface Counting {
  readonly request: RequestTemplate;
  readonly from: number;
  readonly warmUp: number;
  readonly counted: number;
}

async function countEach(
  { port, pid, folder }: CountingServer,
  { request, from, warmUp, counted: times }: Counting,
) {
  const agent = new Agent({ keepAlive: true });
  const write = createRequestWriter(request, 'count', from);
  const send = async (requests: number) => {
    for (let sent = 0; sent < requests; sent++)
      await exchange(request, write().text, { port, agent });
  };
  await send(warmUp);
  const before = await countsOf(pid, folder);
  await send(times);
  const after = await countsOf(pid, folder);
  agent.destroy();
  return {
    promises: (after.promises - before.promises) / times,
    oldBytes: (after.oldBytes - before.oldBytes) / times,
  };
}

function exchange(
  template: RequestTemplate,
  written: string,
  target: { readonly port: number; readonly agent: Agent },
) {
  const { method, headers } = template;
  const [head = '', body = ''] = written.split('\r\n\r\n');
  const path = head.split(' ')[1] ?? '/';
  const accepted = { accept: 'application/json', ...headers };
  return new Promise<void>((resolve, reject) => {
    const sent = sendRequest({ ...target, method, path, headers: accepted }, (response) => {
      text(response).then((answer) => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${path} was answered by ${response.statusCode} ${answer}`));
      }, reject);
    });
    sent.once('error', reject).end(body);
  });
}

interface Counts {
  readonly promises: number;
  readonly oldBytes: number;
}

/** The counters of a process so far. */
async function countsOf(pid: number, folder: string): Promise<Counts> {
  const file = join(folder, `${pid}.count`);
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file)) await pause(5);
  return JSON.parse(readFileSync(file, 'utf8')) as Counts;
}
