import { hash } from 'node:crypto';
import type { GraphQLSchema } from 'graphql';

import { type Answer, head, open } from '../attacks/request.ts';
import { buildPayload, type Payload } from './document.ts';
import type { Recipe } from './recipe.ts';
import { TOOL } from './target.ts';

type Headers = Readonly<Record<string, string>>;

const HEADERS: Readonly<Record<string, Headers>> = {
  brotli: { 'accept-encoding': 'br' },
  gzip: { 'accept-encoding': 'gzip' },
  accept: { accept: `application/json${', a/b;q=0.1'.repeat(1_200)}` },
  forwarded: {
    'x-forwarded-for': '10.0.0.1, '.repeat(1_200),
    'x-forwarded-host': 'x'.repeat(1_000),
  },
  cookies: { cookie: 'a=b; '.repeat(2_500) },
  tags: { 'if-none-match': '"x", '.repeat(2_500) },
  many: Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`x-${n}`, 'x'])),
};

/** A payload, ready to be sent. */
export interface Request {
  /** A request to send first, which is not measured. */
  readonly before?: Buffer;
  readonly bytes: Buffer;
}

/** Builds a recipe's request. `serial` makes a document new. */
export function buildRequest(recipe: Recipe, schema: GraphQLSchema, serial: number): Request {
  const payload = buildPayload(recipe, schema);
  const [root] = recipe.target.split('/');
  if (root === TOOL) return callTool(recipe, payload);

  const accept =
    root === 'Subscription' ? 'text/event-stream' : 'application/graphql-response+json';
  const headers = { accept, ...headersOf(recipe) };
  if (recipe.way === 'new') {
    const query = `${payload.query} #${serial}`;
    return { bytes: post('/graphql', bodyOf(payload, { query }), headers) };
  }
  const bytes = post('/graphql', bodyOf(payload, { query: payload.query }), headers);
  if (recipe.way === 'hash' && root === 'Query') return callByHash(payload, headers);
  return { before: bytes, bytes };
}

const headersOf = ({ caller, headers }: Recipe): Headers => ({
  'x-api-key': caller,
  ...HEADERS[headers],
});

/** Writes the body of a request, with other members than variables and operation name. */
function bodyOf({ variables, operationName }: Payload, members: object): string {
  const start = JSON.stringify({ ...members, operationName });
  return `${start.slice(0, -1)},"variables":${variables}}`;
}

/** Calls a tool of MCP, or the document behind it. */
function callTool(recipe: Recipe, payload: Payload): Request {
  const name = recipe.target.replace(/^.*\/|\(.*/g, '');
  const headers = headersOf(recipe);
  if (recipe.way !== 'new')
    return { bytes: post('/graphql', bodyOf(payload, { documentId: name }), headers) };

  const params = `{"name":"${name}","arguments":${payload.variables}}`;
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  return {
    bytes: post('/mcp', call, { accept: 'application/json, text/event-stream', ...headers }),
  };
}

/** Longer variables do not fit into an address. */
const MAX_GET_LENGTH = 4_000;

/** Sends a document by its hash, with GET if it fits. */
function callByHash(payload: Payload, headers: Headers): Request {
  const { query, variables, operationName } = payload;
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } };
  const before = post('/graphql', bodyOf(payload, { query, extensions }), headers);
  if (variables.length > MAX_GET_LENGTH) {
    return { before, bytes: post('/graphql', bodyOf(payload, { extensions }), headers) };
  }
  const search = new URLSearchParams({ extensions: JSON.stringify(extensions), variables });
  if (operationName) search.set('operationName', operationName);
  return { before, bytes: Buffer.from(head(`GET /graphql?${search}`, headers)) };
}

function post(path: string, body: string, headers: Headers): Buffer {
  const length = String(Buffer.byteLength(body));
  const all = { 'content-type': 'application/json', 'content-length': length, ...headers };
  return Buffer.from(`${head(`POST ${path}`, all)}${body}`);
}

/** The first event of a stream. */
const EVENT = /event: \w[\s\S]*?\n\n/;
const PATIENCE_MS = 60_000;

/** Sends a request, and returns its response; for a stream, the first event. */
export function exchange(url: string, bytes: Buffer): Promise<Answer> {
  const socket = open(url);
  const chunks: Buffer[] = [];
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const isStream = bytes.includes('text/event-stream');
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (isStream && EVENT.test(chunks.join(''))) socket.destroy();
  });
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    const text = Buffer.concat(chunks).toString('latin1');
    resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text });
  });
  socket.write(bytes);
  return promise;
}
