import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

import { listen } from '../support/listen.ts';

/** Starts a server whose streams have these results, and stay open. */
export function startStreams(results: readonly object[]): Promise<string> {
  const server = createHttpServer((request, response) => {
    const isMultipart = request.headers.accept?.includes('multipart/mixed');
    if (!isMultipart) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const result of results)
        response.write(`event: next\ndata: ${JSON.stringify(result)}\n\n`);
      return;
    }
    const type = 'multipart/mixed;boundary="-";subscriptionSpec=1.0';
    response.writeHead(200, { 'content-type': type }).write('\r\n---');
    for (const payload of results) {
      const json = JSON.stringify({ payload });
      response.write(`\r\ncontent-type: application/json\r\n\r\n${json}\r\n---`);
    }
  });
  return listen(server);
}

/** Starts a proxy to a gateway. It can cut its connections, and forwards new ones. */
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
