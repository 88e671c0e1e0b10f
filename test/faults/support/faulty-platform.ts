import type { Socket } from 'node:net';

import { listenRaw } from '../../upstream/support/raw-server.ts';

/** A request as it arrived, whole. */
export interface Arrived {
  readonly method: string;
  readonly target: string;
  readonly head: string;
  readonly body: string;
  /** How many requests of its kind had come, this one included. */
  readonly count: number;
  /** How many requests the connection had brought, this one included. */
  readonly onSocket: number;
}

/**
 * The platform's reaction to a request that names something bad: it writes to the socket itself.
 */
export type Fault = (socket: Socket, arrived: Arrived) => unknown;

export const CANARY = {
  token: 'canary-token',
  password: 'canary-password',
  body: 'canary-body',
} as const;

/**
 * A platform on raw sockets. Calls with `bad` in their path get the fault while there is one; all
 * others, and all after `heal`, succeed. `requests` are the received calls but those for tokens,
 * which are in `signedIn`.
 */
export async function startFaultyPlatform(fault: Fault, issue: Fault = issueToken) {
  const state: { fault: Fault; issue: Fault } = { fault, issue };
  const requests: Arrived[] = [];
  const signedIn: Arrived[] = [];
  const serve = (socket: Socket, request: Omit<Arrived, 'count'>) => {
    const isToken = request.target === '/v1.0/token';
    const ledger = isToken ? signedIn : requests;
    const isFaulty = isToken || /bad/.test(request.target + request.body);
    const count = ledger.filter(({ target }) => isToken || target === request.target).length + 1;
    ledger.push({ ...request, count });
    const act = isToken ? state.issue : isFaulty ? state.fault : answerWell;
    act(socket, { ...request, count });
  };
  const { host, url, sockets } = await listenRaw((socket) => readRequests(socket, serve));
  const badly = () => requests.filter(({ target, body }) => /bad/.test(target + body));
  const heal = () => {
    state.fault = answerWell;
    state.issue = issueToken;
  };
  return { host, url, requests, badly, signedIn, sockets, heal };
}

/** Splits the bytes of a connection into requests. */
function readRequests(
  socket: Socket,
  serve: (socket: Socket, request: Omit<Arrived, 'count'>) => void,
): void {
  let rest = '';
  let onSocket = 0;
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    rest += chunk;
    for (let end = rest.indexOf('\r\n\r\n'); end !== -1; end = rest.indexOf('\r\n\r\n')) {
      const head = rest.slice(0, end);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (rest.length < end + 4 + length) return;
      const body = rest.slice(end + 4, end + 4 + length);
      rest = rest.slice(end + 4 + length);
      const [method = '', target = ''] = head.split(' ');
      onSocket++;
      serve(socket, { method, target, head, body, onSocket });
    }
  });
}

/** Writes a whole answer with its length. */
export function reply(
  socket: Socket,
  status: number,
  body: string | Buffer = '',
  ...headers: readonly string[]
): void {
  const bytes = Buffer.from(body);
  const isBare = status === 204 || status === 304;
  const length = isBare ? [] : [`Content-Length: ${bytes.length}`];
  const head = [`HTTP/1.1 ${status} S`, ...length, ...headers, '', ''].join('\r\n');
  socket.write(isBare ? Buffer.from(head) : Buffer.concat([Buffer.from(head), bytes]));
}

export const answers =
  (status: number, body: string | Buffer = '', ...headers: readonly string[]): Fault =>
  (socket) =>
    reply(socket, status, body, ...headers);

/** Writes bytes as they are. */
export const writes =
  (...parts: readonly (string | Buffer)[]): Fault =>
  (socket) => {
    for (const part of parts) socket.write(part);
  };

/** Meets the fault the first time, and is answered well the second. */
export const once =
  (fault: Fault): Fault =>
  (socket, arrived) =>
    (arrived.count === 1 ? fault : answerWell)(socket, arrived);

/** The responses of a healthy platform. */
export const RULE = '{"name":"Rule","descriptiveName":"R","parameters":[]}';
export const CASE = '{"idCase":"7","cdActivity":"8"}';

/** Responds as the REST interface specifies. */
export const answerWell: Fault = (socket, { method, target }) => {
  if (target.endsWith('/get-parameters')) return reply(socket, 200, RULE);
  if (target.endsWith('/cases')) return reply(socket, 201, CASE);
  if (method === 'DELETE') return reply(socket, 204);
  if (method === 'PATCH' || method === 'PUT') return reply(socket, 202);
  if (target.includes('/instances')) return reply(socket, 200, '{"items":[]}');
  return reply(socket, 200, '{"idForm":"bad","name":"Form","fields":[]}');
};

export const issueToken: Fault = (socket, { count }) =>
  reply(
    socket,
    200,
    JSON.stringify({ access_token: `${CANARY.token}-${count}`, expires_in: 3600 }),
  );
