import { openSync, writeSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import type { ArrivedCall, Behaviour, PlatformRequest } from './index.ts';
import { answerTo, createRecords, modifiedAfter } from './records.ts';

const [, , ledgerFile = '', port = '0', recordForms = '0'] = process.argv;
const TOKEN = '{"access_token":"a-token","token_type":"Bearer","expires_in":3600}';

const ledger = openSync(ledgerFile, 'a');
const records = createRecords(Number(recordForms), process.pid * 1_000_000);
let behaviour: Behaviour = { mode: 'answer', delayMs: 20, changes: 0 };
let counts = { calls: 0, maxInFlight: 0, arrived: [] as ArrivedCall[] };
let isListed = false;
let inFlight = 0;

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url: path = '' } = request;
  counts.calls++;
  const atMs = performance.timeOrigin + performance.now();
  if (behaviour.mode === 'hang') return;
  if (behaviour.mode === 'reset') return void request.socket.resetAndDestroy();
  const body = method === 'GET' ? '' : await text(request);
  const isToken = path === '/v1.0/token';
  const creation = method === 'POST' && !isToken ? creationOf(body) : undefined;
  if (isListed && !isToken) counts.arrived.push({ path, creation, atMs });
  if (behaviour.mode === 'fail') return finish(response, 500, '{"message":"down"}');
  if (isToken) return finish(response, 200, TOKEN);

  // The creation takes effect before the delay, so that killing the process during the delay loses
  // only the response.
  if (creation !== undefined) writeSync(ledger, `${creation}\n`);
  await delay(behaviour.delayMs);
  if (request.headers['if-modified-since'] === modifiedAfter(behaviour.changes))
    return finish(response, 304, '');
  const answer = answerTo(records, method, path, behaviour.changes);
  finish(response, answer.status, answer.body);
}

/** Waits. Returns at once for 0, because a timer of 0 waits 1 ms. */
async function delay(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

const creationOf = (body: string): string => /"creation":"([^"]+)"/.exec(body)?.[1] ?? 'unnamed';

function finish(response: ServerResponse, status: number, body: string): void {
  if (response.destroyed) return;
  const length = status === 304 ? {} : { 'content-length': Buffer.byteLength(body) };
  const headers = {
    'content-type': 'application/json',
    'last-modified': modifiedAfter(behaviour.changes),
    ...length,
  };
  response.writeHead(status, headers).end(body);
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  inFlight++;
  counts.maxInFlight = Math.max(counts.maxInFlight, inFlight);
  response.once('close', () => {
    inFlight--;
  });
  serve(request, response).catch(() => response.destroy());
});

process.on('message', (request: PlatformRequest) => {
  if ('behave' in request) behaviour = request.behave;
  else {
    process.send?.({ counts });
    isListed = request.count.isListed;
    counts = { calls: 0, maxInFlight: inFlight, arrived: [] };
  }
});
process.on('disconnect', () => process.exit());
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
