import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Called with the socket once the head of a request is there; `count` is how many heads have come so far, from 1. */
export type Script = (socket: Socket, count: number) => void;

/** Starts a server on raw sockets, which may break HTTP in every way, and ends with the test. */
export async function startRawServer(script: Script) {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      heads.push(chunk.toString());
      script(socket, heads.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heads, sockets };
}

/** Writes a whole answer with its length. */
export function answerWith(socket: Socket, body: string | Buffer, ...headers: readonly string[]): void {
  const bytes = Buffer.from(body);
  socket.write([`HTTP/1.1 200 OK`, `Content-Length: ${bytes.length}`, ...headers, '', ''].join('\r\n'));
  socket.write(bytes);
}

/** Gives the URL of an unused port. */
export async function closedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
