import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';

import { hashApiKey } from '../../src/http/auth/callers.ts';
import type { Hoarder } from './hoarder.ts';
import { post, untilClosed } from './request.ts';
import { startTarget } from './target.ts';

/** Where the address keeps others out there is no answer for as long as it asks; a busy machine takes a second or two. */
const WITHIN_MS = 10_000;
const TRIES = 20;
const KEY = 'key-of-the-other';
const BODY = JSON.stringify({ query: '{ __typename }' });
const ENV = {
  // Loopback addresses are those of proxies otherwise.
  TRUSTED_PROXIES: '203.0.113.1',
  CALLER_AUTH: 'key',
  CALLER_KEYS: `web:${hashApiKey(KEY)}`,
};

/** Has an address without a key take all connections that it gets, and ask again at each answer. */
async function startHoarder(url: string): Promise<void> {
  const request = post(BODY, { headers: { connection: 'keep-alive' } }).toString();
  const workerData: Hoarder = { url, localAddress: '127.0.0.2', connections: 2_048, request };
  const hoarder = new Worker(new URL('./hoarder.ts', import.meta.url), { workerData });
  onTestFinished(async () => {
    const ended = once(hoarder, 'exit');
    hoarder.postMessage('stop');
    await ended;
  });
  await once(hoarder, 'message');
}

/** Asks on a new connection from another address, and gives the answer's status; 0 where there is none in time. */
async function askAnew(url: string): Promise<number> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), localAddress: '127.0.0.3' });
  const timer = setTimeout(() => socket.destroy(), WITHIN_MS);
  socket.write(post(BODY, { headers: { 'x-api-key': KEY } }));
  const { status } = await untilClosed(socket);
  clearTimeout(timer);
  return status;
}

it.runIf(process.platform === 'linux')(
  'an address with 2,048 connections that asks again at each answer does not keep another from new ones',
  async () => {
    const target = await startTarget({ env: ENV });
    onTestFinished(target.stop);
    await startHoarder(target.url);

    const statuses: number[] = [];
    for (let count = 0; count < TRIES; count++) statuses.push(await askAnew(target.url));

    expect(statuses).toEqual(Array(TRIES).fill(200));
  },
);
