import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

import { listen } from '../support/listen.ts';

/** A server whose streams have these results, and stay open. */
export async function startScript(results: readonly object[]): Promise<string> {
  const server = createHttpServer((request, response) => {
    const isMultipart = request.headers.accept?.includes('multipart/mixed');
    const type = isMultipart
      ? 'multipart/mixed;boundary="-";subscriptionSpec=1.0'
      : 'text/event-stream';
    response.writeHead(200, { 'content-type': type });
    if (isMultipart) response.write('\r\n---');
    for (const result of results) {
      const json = JSON.stringify(isMultipart ? { payload: result } : result);
      response.write(
        isMultipart
          ? `\r\ncontent-type: application/json\r\n\r\n${json}\r\n---`
          : `event: next\ndata: ${json}\n\n`,
      );
    }
  });
  return listen(server);
}

/**
 * A proxy to a gateway that can cut its connections like a broken network. New connections are
 * forwarded again.
 */
export async function startConnection(to: string) {
  const { hostname, port } = new URL(to);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = createConnection(Number(port), hostname);
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => undefined);
    }
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  onTestFinished(() => {
    server.close();
    cut();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut };
}
