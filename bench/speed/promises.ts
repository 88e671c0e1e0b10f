import { existsSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request as sendRequest } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

import { counted, type Figure } from '../benchmark.ts';
import { createRequestWriter, type RequestTemplate } from '../load/requests.ts';
import { type Environment, freePort, NODE_OPTIONS } from '../test-bed.ts';

/** How many promises an answer of ours takes at most, by workload: a count shows layers, and is the same on every machine. */
const AT_MOST: Readonly<Record<string, number>> = { W1: 110, W2: 36, W3: 8, W4: 40 };

const WARM_UP = 30;
const COUNTED = 20;

/** The environment in which the gateway has metrics on, as in production. */
export const productionEnvironment = async (): Promise<Environment> => ({ METRICS_PORT: String(await freePort()) });

/** The environment in which a process of Node counts its promises. */
export const countingEnvironment = async (folder: string): Promise<Environment> => ({
  ...(await productionEnvironment()),
  NODE_OPTIONS: `${NODE_OPTIONS} --import=${join(import.meta.dirname, 'count-promises.ts')}`,
  COUNT_FOLDER: folder,
});

interface CountingServer {
  readonly port: number;
  readonly pid: number;
  /** As the server's environment has it. */
  readonly folder: string;
}

/** Counts the promises that a server makes for one answer, by equal or numbered requests one after the other. */
export async function countPromises({ port, pid, folder }: CountingServer, request: RequestTemplate, from: number) {
  const agent = new Agent({ keepAlive: true });
  const write = createRequestWriter(request, 'count', from);
  const send = async (times: number) => {
    for (let sent = 0; sent < times; sent++) await exchange(request, write().text, { port, agent });
  };
  await send(WARM_UP);
  const before = await promisesOf(pid, folder);
  await send(COUNTED);
  const after = await promisesOf(pid, folder);
  agent.destroy();
  return (after - before) / COUNTED;
}

/** Compares the promises of a response with the most that it may take. */
export function judgePromises(workload: string, promises: number): Figure {
  const atMost = AT_MOST[workload];
  return counted(`${workload}: promises for a response`, promises, '', atMost === undefined ? {} : { atMost });
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

/** How many promises a process has made so far. */
async function promisesOf(pid: number, folder: string): Promise<number> {
  const file = join(folder, `${pid}.count`);
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file)) await pause(5);
  return Number(readFileSync(file, 'utf8'));
}
