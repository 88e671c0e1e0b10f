import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as sessionAction } from 'node:timers/promises';
import { request } from 'undici';

import { listen } from '../support/listen.ts';
import type { Setup } from './subject.ts';

interface Message {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

type Forward = (message: Message) => Promise<Reply>;
type Fault = (message: Message, forward: Forward) => Promise<Reply>;

/** A leak that a proxy makes: on the way of the callers, or on the way to the platform. */
export interface Leak extends Partial<Setup> {
  /** Makes the fault anew for each gateway. */
  readonly make: () => Fault;
  readonly side: 'callers' | 'platform';
  /** What the proof says of it. */
  readonly shows: RegExp;
}

const FOREIGN = /is shown what/;

/** What a gateway must never do. Each stands for a way to get caches, tokens or connections wrong. */
export const LEAKS: Readonly<Record<string, Leak>> = {
  'answers are cached by the text of the request': {
    ...{ side: 'callers', mode: 'forward', shows: FOREIGN },
    make: () => cached(({ body }) => body),
  },
  'equal requests of different callers share one answer': {
    ...{ side: 'callers', mode: 'forward', shows: FOREIGN },
    make: () => coalesced(({ body }) => body),
  },
  'equal subscriptions of different callers share one stream': {
    ...{ side: 'callers', mode: 'forward', shows: FOREIGN },
    make() {
      const share = coalesced(({ body }) => body);
      const isStream = ({ headers }: Message) => headers.accept === 'text/event-stream';
      return (message, forward) => (isStream(message) ? share(message, forward) : forward(message));
    },
  },
  'the credentials of the latest request serve whatever runs': {
    ...{ side: 'callers', shows: FOREIGN },
    make: withLatestCredentials,
  },
  'answers may be stored by caches on the way': {
    ...{ side: 'callers', shows: /may be kept/ },
    make: () => async (message, forward) => {
      const reply = await forward(message);
      return { ...reply, headers: { ...reply.headers, 'cache-control': 'max-age=60' } };
    },
  },
  'reads are cached by their address': {
    ...{ side: 'platform', shows: FOREIGN },
    make: () => cached(({ method, path }) => (method === 'GET' ? path : undefined)),
  },
  'the latest token authorizes every call': {
    ...{ side: 'platform', mode: 'forward', shows: FOREIGN },
    make: withLatestCredentials,
  },
  'whoever signs in gets the token of the first': {
    ...{ side: 'platform', variant: 'A', shows: FOREIGN },
    make: () => cached(({ path }) => (path.endsWith('/token') ? path : undefined)),
  },
  'equal changes of different callers are made once': {
    ...{ side: 'platform', shows: FOREIGN },
    make: () => cached(({ method, path, body }) => (method === 'GET' ? undefined : `${method} ${path} ${body}`)),
  },
};

/** Keeps good replies by a key; what has none is passed on. */
function cached(keyOf: (message: Message) => string | undefined): Fault {
  const kept = new Map<string, Reply>();
  return async (message, forward) => {
    const key = keyOf(message);
    const known = key === undefined ? undefined : kept.get(key);
    if (known !== undefined) return known;
    const reply = await forward(message);
    if (key !== undefined && reply.status < 300) kept.set(key, reply);
    return reply;
  };
}

function coalesced(keyOf: (message: Message) => string): Fault {
  const running = new Map<string, Promise<Reply>>();
  return (message, forward) => {
    const key = keyOf(message);
    const reply = running.get(key) ?? forward(message).finally(() => running.delete(key));
    running.set(key, reply);
    return reply;
  };
}

function withLatestCredentials(): Fault {
  let latest: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'> = {};
  return async (message, forward) => {
    const { authorization, cookie } = message.headers;
    if (message.path.endsWith('/token')) return forward(message);
    latest = { authorization, cookie };
    await sessionAction();
    return forward({ ...message, headers: { ...message.headers, ...latest } });
  };
}

/** Reads a stream up to its first result, as a proxy that cuts it off then. */
async function firstResult(body: Readable): Promise<string> {
  let text = '';
  for await (const chunk of body.setEncoding('utf8')) {
    text += chunk;
    if (/data: .*\n\n/.test(text)) break;
  }
  return text;
}

/** Starts a proxy before `target` that ends with the test, and gives its address. */
export async function startFaultyProxy(target: string, fault: Fault): Promise<string> {
  const forward: Forward = async ({ method, path, headers, body }) => {
    const { host: _, connection: __, 'transfer-encoding': ___, ...passed } = headers;
    const answer = await request(target + path, { method, headers: passed, body: body === '' ? null : body });
    const { statusCode: status, headers: sent } = answer;
    const isStream = String(sent['content-type']).startsWith('text/event-stream');
    return { status, headers: sent, body: await (isStream ? firstResult(answer.body) : answer.body.text()) };
  };
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const {
      status,
      headers: received,
      body,
    } = await fault({ method, path, headers, body: await text(incoming) }, forward);
    const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, 'content-length': ____, ...passed } = received;
    for (const [name, value = ''] of Object.entries(passed)) outgoing.setHeader(name, value);
    outgoing.writeHead(status).end(status === 204 || status === 304 ? undefined : body);
  });
  return listen(server);
}
