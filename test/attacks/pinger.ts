import { parentPort, workerData } from 'node:worker_threads';

const EVERY_MS = 20;

/** Another client, on a thread of its own: asks every 20 ms, and at the end says how long the slowest answer took. */
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
    const tookMs = await operation();
    longestMs = Math.max(longestMs, tookMs);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, EVERY_MS - tookMs)));
  }
  parentPort?.postMessage({ longestMs });
}

/** How long one answer took, in milliseconds. */
async function operation(): Promise<number> {
  const beganAtMs = performance.now();
  await fetch(`${workerData}/livez`).then((response) => response.text());
  return performance.now() - beganAtMs;
}

await ping();
