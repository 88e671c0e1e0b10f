import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const EVERY_MS = 20;

/**
 * Another client, on a thread of its own: asks every 20 ms, and at the end says how long the target worked on something else before
 * the answer that took most of its time. A busy machine keeps the target waiting as well, which is no work.
 */
async function ping(): Promise<void> {
  let isOver = false;
  parentPort?.once('message', () => {
    isOver = true;
  });
  // The first questions warm up this client itself.
  for (let n = 0; n < 20; n++) await operation();
  parentPort?.postMessage('ready');
  let longestMs = 0;
  while (!isOver) {
    longestMs = Math.max(longestMs, await operation());
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  parentPort?.postMessage({ longestMs });
}

/** How long the target worked until one answer came, in milliseconds. */
async function operation(): Promise<number> {
  const before = workedMs();
  await fetch(`${workerData.url}/livez`).then((response) => response.text());
  return workedMs() - before;
}

/** How long the event loop of the target has run, in milliseconds of a processor. */
const workedMs = (): number =>
  Number(
    readFileSync(`/proc/${workerData.pid}/task/${workerData.pid}/schedstat`, 'utf8').split(' ')[0],
  ) / 1e6;

await ping();
