import { connect, type Socket } from 'node:net';

/** What a server answered, as far as it came. The status is 0 where nothing came. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Where a gateway's process listens. */
export interface Places {
  readonly url: string;
  readonly metricsUrl: string;
  readonly sandboxUrl: string;
}

/** One way to hurt a server. */
export interface Attack {
  readonly name: string;
  /** The statuses that are right as an answer. */
  readonly status: readonly number[];
  /** Whether it needs a platform that takes its time. */
  readonly isSlow?: boolean;
  /** Gives the settings that its target has besides those of all. */
  readonly env?: () => Readonly<Record<string, string>>;
  /** Starts the platform of its target, in place of the sandbox. */
  readonly startPlatform?: () => Promise<{ readonly url: string; stop(): void }>;
  /** Makes what is to be sent, which is large for some, and gives the way to send it. */
  readonly prepare: () => (url: string, places: Places) => Promise<readonly Answer[]>;
}

/** Sends requests one after the other, each on a connection of its own. */
export function inTurn(write: () => readonly (string | Buffer)[]): Attack['prepare'] {
  return () => {
    const requests = write();
    return async (url) => {
      const answers: Answer[] = [];
      for (const bytes of requests) answers.push(await send(url, bytes));
      return answers;
    };
  };
}

/** What no answer may hold: what the attacker sent as a secret, traces of the code, names of products, pages. */
export const LEAK =
  /secret-token-abc|node_modules|\.ts:\d+|Maximum call stack|Did you mean|apollo|graphql-js|<html/i;

const PIECE_BYTES = 32_768;

interface Post {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Writes a POST of a body as it is. */
export function post(body: string | Buffer, { headers = {} }: Post = {}): Buffer {
  const all = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/graphql-response+json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...headers,
  };
  return Buffer.concat([Buffer.from(head('POST /graphql', all)), Buffer.from(body)]);
}

/** Writes a POST of an operation. */
export const operation = (query: string, variables?: unknown): Buffer =>
  post(JSON.stringify({ query, variables }));

/** Writes the head of a request that has no body. */
export const head = (line: string, headers: Readonly<Record<string, string>> = {}): string => {
  const all = { host: 'localhost', connection: 'close', ...headers };
  const lines = Object.entries(all)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`);
  return `${[`${line} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
};

/** Sends bytes on a connection of their own, and gives what came back until it was closed. */
export function send(url: string, bytes: string | Buffer): Promise<Answer> {
  const socket = open(url);
  void write(socket, Buffer.from(bytes));
  return untilClosed(socket);
}

/** Sends bytes on a connection of their own however much of them is taken, and gives what came back until it was closed. */
export function flood(url: string, bytes: Buffer): Promise<Answer> {
  const socket = open(url);
  socket.write(bytes);
  return untilClosed(socket);
}

/** Opens a connection. */
export function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

/** Gives what comes on a connection until it is closed. */
export function untilClosed(socket: Socket): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  // A server that refuses need not read the rest; what it had said is kept.
  socket.on('error', () => socket.destroy());
  socket.on('close', () =>
    resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }),
  );
  return promise;
}

// Piece by piece, as clients do who look for an answer while they send.
async function write(socket: Socket, bytes: Buffer): Promise<void> {
  for (
    let at = 0;
    at < bytes.length && socket.writable && socket.bytesRead === 0;
    at += PIECE_BYTES
  ) {
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.write(bytes.subarray(at, at + PIECE_BYTES), () => setImmediate(resolve));
    await promise;
  }
}
