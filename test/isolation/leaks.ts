import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { request } from 'undici';

import { listen } from '../support/listen.ts';
import type { Setup } from './subject.ts';

interface Message {
  readonly method: string;
  /** The path with its query. */
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

/**
 * A leak caused by a proxy, between the callers and the gateway, or between the gateway and the
 * platform.
 */
export interface Leak extends Partial<Setup> {
  /**
   * Creates the fault. Called for each gateway, and after each problem that does not show the
   * fault.
   */
  readonly make: () => Fault;
  readonly side: 'callers' | 'platform';
  /** Matches the problem that the proof must report. */
  readonly shows: RegExp;
}

const FOREIGN = /is shown what/;

/**
 * Faults that the gateway must never have. Each is a typical mistake with caches, tokens or
 * connections.
 */
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
    make: () =>
      coalesced(({ headers, body }) => (headers.accept === 'text/event-stream' ? body : undefined)),
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
    make: () =>
      cached(({ method, path, body }) =>
        method === 'GET' || path.endsWith('/token') ? undefined : `${method} ${path} ${body}`,
      ),
  },
};

/**
 * Caches replies by a key from the moment of the request, except refusals. Requests without a key
 * are passed on.
 */
function cached(
  keyOf: (message: Message) => string | undefined,
  isKept = ({ status }: Reply) => status < 300,
): Fault {
  const kept = new Map<string, Promise<Reply>>();
  return async (message, forward) => {
    const key = keyOf(message);
    if (key === undefined) return forward(message);
    const asked = kept.get(key) ?? forward(message);
    kept.set(key, asked);
    const reply = await asked;
    if (!isKept(reply)) kept.delete(key);
    return reply;
  };
}

const coalesced = (keyOf: (message: Message) => string | undefined) => cached(keyOf, () => false);

function withLatestCredentials(): Fault {
  let latest: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'> = {};
  return async (message, forward) => {
    const { authorization, cookie } = message.headers;
    if (message.path.endsWith('/token')) return forward(message);
    latest = { authorization, cookie };
    await turn();
    return forward({ ...message, headers: { ...message.headers, ...latest } });
  };
}

/** Reads a stream up to its first result, like a proxy that cuts it off there. */
async function firstResult(body: Readable): Promise<string> {
  let text = '';
  for await (const chunk of body.setEncoding('utf8')) {
    text += chunk;
    if (/data: .*\n\n/.test(text)) break;
  }
  return text;
}

/** Starts a proxy before `target` that ends with the test. `renew` creates a new fault. */
export async function startFaultyProxy(target: string, make: () => Fault) {
  let fault = make();
  const forward: Forward = async ({ method, path, headers, body }) => {
    const { host: _, connection: __, 'transfer-encoding': ___, ...passed } = headers;
    const answer = await request(target + path, {
      method,
      headers: passed,
      body: body === '' ? null : body,
    });
    const { statusCode: status, headers: sent } = answer;
    const isStream = String(sent['content-type']).startsWith('text/event-stream');
    return {
      status,
      headers: sent,
      body: await (isStream ? firstResult(answer.body) : answer.body.text()),
    };
  };
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = '', url: path = '', headers } = incoming;
    const message = { method, path, headers, body: await text(incoming) };
    const { status, headers: received, body } = await fault(message, forward);
    const {
      connection: _,
      'keep-alive': __,
      'transfer-encoding': ___,
      'content-length': ____,
      ...passed
    } = received;
    for (const [name, value = ''] of Object.entries(passed)) outgoing.setHeader(name, value);
    outgoing.writeHead(status).end(status === 204 || status === 304 ? undefined : body);
  };
  // The target or the client may close its connection before the response. The gateway does not end
  // its calls when a client disconnects, and the test does not wait for them.
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const renew = () => {
    fault = make();
  };
  return { url: await listen(server), renew };
}
