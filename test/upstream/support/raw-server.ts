import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Listens for connections until the test ends. The test writes HTTP by hand, also wrong HTTP.
 * `sockets` has the open ones.
 */
export async function listenRaw(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  /** Closes a connection when the test ends. */
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer({ noDelay: true }, (socket) => onConnection(keep(socket)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(close);
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}`, sockets, keep, close };
}

/** Called after each head of a request. `count` is the number of heads so far. */
export type Script = (socket: Socket, count: number) => void;

/** Starts a server that handles each request with the script. */
export async function startRawServer(script: Script) {
  const heads: string[] = [];
  const { url, sockets } = await listenRaw((socket) =>
    socket.on('data', (chunk) => {
      heads.push(chunk.toString());
      script(socket, heads.length);
    }),
  );
  return { url, heads, sockets };
}

/** Writes a whole response with its length. */
export function answerWith(socket: Socket, body: string): void {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** Returns the URL of an unused port. */
export async function closedUrl(): Promise<string> {
  const { url, close } = await listenRaw(() => undefined);
  close();
  return url;
}
