import { once } from 'node:events';
import { createServer } from 'node:http';

import { listen } from './listen.ts';

/** A call as the platform saw it. */
interface ChainCall {
  readonly method: string;
  readonly path: string;
  /** Answers it; until then it waits. */
  answer(): void;
  /** Resolves when the gateway has hung up before the answer. */
  readonly dropped: Promise<void>;
  /** Whether its answer went out to a gateway that was still there. */
  isAnswered(): boolean;
}

/**
 * A platform whose every call waits for the test, but for the token's. Its form `link` has
 * instances that each refer to the next, so that an operation makes its calls one after the other.
 */
export async function startChainPlatform() {
  const calls: ChainCall[] = [];
  const waiting: ((call: ChainCall) => void)[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    const send = (body: unknown) => {
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    incoming.resume();
    if (url === '/v1.0/token') return send({ access_token: 'token', expires_in: 3600 });
    const dropped = once(outgoing, 'close').then(() => undefined);
    const call = {
      method,
      path: url,
      dropped,
      answer: () => send(answerTo(method, url)),
      isAnswered: () => outgoing.writableFinished,
    };
    calls.push(call);
    waiting.shift()?.(call);
  });
  const url = await listen(server);
  return {
    calls,
    env: { UPSTREAM_URL: url, UPSTREAM_USERNAME: 'u', UPSTREAM_PASSWORD: 'p' },
    /** Resolves to the next call that comes. */
    next: () => new Promise<ChainCall>((resolve) => waiting.push(resolve)),
  };
}

const FORM = {
  idForm: 'link',
  name: 'Link',
  fields: [{ name: 'next', label: 'Next', type: 'reference', required: true, reference: 'link' }],
};

function answerTo(method: string, url: string): unknown {
  if (method !== 'GET') return { idInstance: 1, values: { next: 2 } };
  const [, id] = /\/instances\/(\d+)/.exec(url) ?? [];
  if (id !== undefined) return { idInstance: Number(id), values: { next: Number(id) + 1 } };
  return url.includes('/instances')
    ? { items: [{ idInstance: 1, values: { next: 2 } }], total: 1 }
    : FORM;
}
