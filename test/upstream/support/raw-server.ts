import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Listens for connections, which may break HTTP in every way, until the test ends. `sockets` are those that are open. */
export async function listenRaw(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  /** Has a connection end with the test as well. */
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

/** Called with the socket once the head of a request is there; `count` is how many heads have come so far, from 1. */
export type Script = (socket: Socket, count: number) => void;

/** Starts a server that does to each request as the script says. */
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

/** Writes a whole answer with its length. */
export function answerWith(socket: Socket, body: string): void {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** Gives the URL of an unused port. */
export async function closedUrl(): Promise<string> {
  const { url, close } = await listenRaw(() => undefined);
  close();
  return url;
}
