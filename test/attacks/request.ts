import { connect, type Socket } from 'node:net';

/** A response, as far as it arrived. The status is 0 without one. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The addresses of a gateway's process. */
export interface Places {
  readonly url: string;
  readonly metricsUrl: string;
  readonly sandboxUrl: string;
}

/** A harmful request, or several. */
export interface Attack {
  readonly name: string;
  /** The accepted statuses. */
  readonly status: readonly number[];
  /** Whether its target needs a slow platform. */
  readonly isSlow?: boolean;
  /** Returns settings for its target. */
  readonly env?: () => Readonly<Record<string, string>>;
  /** Starts a platform to use instead of the sandbox. */
  readonly startPlatform?: () => Promise<{ readonly url: string; stop(): void }>;
  /** Builds the requests, which may be large, and returns a function that sends them. */
  readonly prepare: () => (url: string, places: Places) => Promise<readonly Answer[]>;
}

/** Sends requests one after another, each on a new connection. */
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

/**
 * Text that no response may contain: the attacker's secret, stack traces, product names, HTML
 * pages.
 */
export const LEAK =
  /secret-token-abc|node_modules|\.ts:\d+|Maximum call stack|Did you mean|apollo|graphql-js|<html/i;

const PIECE_BYTES = 32_768;

interface Post {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Writes a POST request with this body. */
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

/** Writes a POST request for an operation. */
export const operation = (query: string, variables?: unknown): Buffer =>
  post(JSON.stringify({ query, variables }));

/** Writes the head of a request without a body. */
export const head = (line: string, headers: Readonly<Record<string, string>> = {}): string => {
  const all = { host: 'localhost', connection: 'close', ...headers };
  const lines = Object.entries(all)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`);
  return `${[`${line} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
};

/**
 * Sends bytes on a new connection, and returns the response after the connection is closed. Stops
 * sending when a response begins.
 */
export function send(url: string, bytes: string | Buffer): Promise<Answer> {
  const socket = open(url);
  void write(socket, Buffer.from(bytes));
  return untilClosed(socket);
}

/**
 * Sends all bytes on a new connection, even after a response, and returns the response after the
 * connection is closed.
 */
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

/** Returns the response on a connection after it is closed. */
export function untilClosed(socket: Socket): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  // A server that refuses a request need not read the rest. The response so far is used.
  socket.on('error', () => socket.destroy());
  socket.on('close', () =>
    resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }),
  );
  return promise;
}

// In pieces, as a client that checks for a response while it sends.
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
