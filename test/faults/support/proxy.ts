import { connect, type Socket } from 'node:net';

import { listenRaw } from '../../upstream/support/raw-server.ts';

/** Called with the client's socket and a function that opens the requested tunnel. */
export type ProxyScript = (socket: Socket, tunnel: () => void) => unknown;

export const PROXY_USER = 'pro:xy user';
export const PROXY_PASSWORD = 'canary-proxy%@';

/** Answers as a proxy does, and gives the connection to the platform. */
export const opensTunnel: ProxyScript = (_socket, tunnel) => tunnel();

/**
 * Starts a proxy on raw sockets. `heads` lists the requests for tunnels, `sockets` the open sockets
 * on both sides.
 */
export async function startProxy(script: ProxyScript = opensTunnel) {
  const heads: string[] = [];
  const { host, url, sockets, keep, close } = await listenRaw((socket) =>
    socket.once('data', (chunk) => {
      const head = chunk.toString();
      heads.push(head);
      script(socket, () => {
        const [, platform, port] = /^CONNECT (.+):(\d+) HTTP\/1.1\r\n/.exec(head) ?? [];
        const onward = keep(connect({ host: platform, port: Number(port), noDelay: true }));
        socket.write('HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n');
        socket.on('close', () => onward.destroy());
        onward.on('close', () => socket.destroy());
        socket.pipe(onward).pipe(socket);
      });
    }),
  );
  const login = `${encodeURIComponent(PROXY_USER)}:${encodeURIComponent(PROXY_PASSWORD)}`;
  const targets = () => heads.map((head) => /^CONNECT (\S+)/.exec(head)?.[1]);
  return { url, urlWithLogin: `http://${login}@${host}`, heads, targets, sockets, close };
}
