import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { answerTo, type Content } from './answers.ts';
import { openLedger } from './ledger.ts';
import type { ArrivedCall, Behaviour, Order, Word } from './protocol.ts';

const [, , ledgerFile = '', port = '0'] = process.argv;
const TOKEN = '{"access_token":"a-token","token_type":"Bearer","expires_in":3600}';

const write = openLedger(ledgerFile);
let behaviour: Behaviour = { mode: 'answer', delayMs: 20 };
let counts = { calls: 0, unchanged: 0, maxInFlight: 0, arrived: [] as ArrivedCall[] };
let isListed = false;
let inFlight = 0;
let instances = process.pid * 1_000_000;

const send = (word: Word) => process.send?.(word);

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '';
  const isToken = path === '/v1.0/token';
  counts.calls++;
  const atMs = performance.timeOrigin + performance.now();
  if (behaviour.mode === 'hang') return;
  if (behaviour.mode === 'reset') return void request.socket.resetAndDestroy();
  const body = request.method === 'GET' ? '' : await text(request);
  const mutation = request.method === 'POST' && !isToken ? mutationOf(body) : undefined;
  if (isListed && !isToken) counts.arrived.push({ path, mutation, atMs });
  if (behaviour.mode === 'fail') return finish(response, { status: 500, body: '{"message":"down"}' });
  if (isToken) return finish(response, { status: 200, body: TOKEN });

  // The effect comes first and the answer a while later: what kills the platform in between loses the answer alone.
  if (mutation !== undefined) write(mutation);
  await passed(behaviour.delayMs);
  const content = answerTo(request, () => instances++);
  finish(response, isKnown(content, request) ? { ...content, status: 304, body: '' } : content);
}

/** Lets a time pass; none at all where it is 0, which a timer would make 1. */
const passed = async (ms: number): Promise<void> =>
  ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined;

/** Whether who asks has this content already, as it says by If-Modified-Since. */
function isKnown({ modified }: Content, { headers }: IncomingMessage): boolean {
  if (modified === undefined || headers['if-modified-since'] !== modified) return false;
  counts.unchanged++;
  return true;
}

const mutationOf = (body: string): string => /"mutation":"([^"]+)"/.exec(body)?.[1] ?? 'unnamed';

function finish(response: ServerResponse, { status, body, modified }: Content): void {
  if (response.destroyed) return;
  const size = status === 304 ? {} : { 'content-length': Buffer.byteLength(body) };
  const date = modified === undefined ? {} : { 'last-modified': modified };
  response.writeHead(status, { 'content-type': 'application/json', ...size, ...date }).end(body);
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  inFlight++;
  counts.maxInFlight = Math.max(counts.maxInFlight, inFlight);
  response.once('close', () => {
    inFlight--;
  });
  serve(request, response).catch(() => response.destroy());
});

process.on('message', (order: Order) => {
  if ('behave' in order) behaviour = order.behave;
  else {
    send({ counts });
    isListed = order.count.isListed;
    counts = { calls: 0, unchanged: 0, maxInFlight: inFlight, arrived: [] };
  }
});
process.on('disconnect', () => process.exit());
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') send({ port: address.port });
});
