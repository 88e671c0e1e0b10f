import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const EVERY_MS = 20;

/**
 * Sends a request every 20 ms on a thread of its own, and finally posts the longest time that the
 * target spent on other work before a response.
 *
 * It measures CPU time, because a busy machine delays the target as well.
 */
async function ping(): Promise<void> {
  let isOver = false;
  parentPort?.once('message', () => {
    isOver = true;
  });
  // The first requests warm up this client.
  for (let n = 0; n < 20; n++) await operation();
  parentPort?.postMessage('ready');
  let longestMs = 0;
  while (!isOver) {
    longestMs = Math.max(longestMs, await operation());
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  parentPort?.postMessage({ longestMs });
}

/** Sends a request, and returns the target's CPU time until the response, in milliseconds. */
async function operation(): Promise<number> {
  const before = workedMs();
  await fetch(`${workerData.url}/livez`).then((response) => response.text());
  return workedMs() - before;
}

/** Returns the CPU time of the target's event loop, in milliseconds. */
const workedMs = (): number =>
  Number(
    readFileSync(`/proc/${workerData.pid}/task/${workerData.pid}/schedstat`, 'utf8').split(' ')[0],
  ) / 1e6;

await ping();
