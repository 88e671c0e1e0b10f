import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import type { FloodJob, FloodReport } from './index.ts';
import { createRequestWriter, PAGE } from './requests.ts';

// The flood has its own process, which writes requests when they are due and reads only the status
// of the responses.
process.on('message', async (job: FloodJob) => {
  process.send?.(await flood(job));
});
process.on('disconnect', () => process.exit());

const CONNECTIONS_PER_ADDRESS = 50;
/** The limit of unsent bytes on a connection. Requests beyond it are skipped. */
const MAX_UNSENT_BYTES = 65_536;

async function flood({ port, durationMs, rate, addresses, from }: FloodJob): Promise<FloodReport> {
  const write = createRequestWriter(PAGE, 'flood', from);
  const report = { sent: 0, answered: 0, admitted: 0 };
  const sockets: Socket[] = [];
  const open = (at: number) => {
    const localAddress = addresses[at % addresses.length];
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d+)/g)) {
        report.answered++;
        if (status === '200') report.admitted++;
      }
    });
    // A proxy closes a connection after some requests.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (!isOver()) open(at);
    });
    sockets[at] = socket;
  };

  const startMs = performance.now();
  const isOver = () => performance.now() - startMs > durationMs;
  for (let at = 0; at < addresses.length * CONNECTIONS_PER_ADDRESS; at++) open(at);
  let due = 0;
  for (let turn = 0; !isOver(); turn++) {
    const dueNow = ((performance.now() - startMs) / 1_000) * rate;
    const socket = sockets[turn % sockets.length];
    const isTaking = socket !== undefined && socket.writableLength < MAX_UNSENT_BYTES;
    let text = '';
    for (; due < dueNow; due++) {
      if (!isTaking) continue;
      text += write().text;
      report.sent++;
    }
    if (text !== '') socket?.write(text, 'latin1');
    await pause(1);
  }
  for (const socket of sockets) socket.destroy();
  return report;
}
