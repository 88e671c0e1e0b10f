import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection on which a test writes HTTP by hand. It ends with the test. */
export interface RawClient {
  readonly socket: Socket;
  write(text: string): void;
  /** Resolves to everything that came, once the gateway has closed the connection. */
  readonly closed: Promise<string>;
  /** Resolves to everything that came so far, once the pattern is in it. */
  received(pattern: RegExp): Promise<string>;
}

/** Connects to a gateway. */
export async function connectTo(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => {
    for (const event of ['end', 'close']) socket.once(event, () => resolve(text));
  });
  await once(socket, 'connect');
  return {
    socket,
    closed,
    write: (part) => void socket.write(part),
    async received(pattern) {
      while (!pattern.test(text)) await Promise.race([once(socket, 'data'), closed.then(failed)]);
      return text;
    },
  };

  function failed(all: string): never {
    throw new Error(`the connection ended without what was waited for, after: ${all}`);
  }
}

/** Writes a whole request for a GraphQL operation. */
export function requestFor(query: string): string {
  const body = JSON.stringify({ query });
  return `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Lists the statuses of the responses on a connection. */
export function statusesOf(text: string): string[] {
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status = '']) => status);
}
