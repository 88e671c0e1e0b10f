import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Called with the head of a request, and with what opens the tunnel that it asks for. */
export type ProxyScript = (socket: Socket, tunnel: () => Socket) => unknown;

export const PROXY_USER = 'pro:xy user';
export const PROXY_PASSWORD = 'canary-proxy%@';

/** Answers as a proxy does, and gives the connection to the platform. */
export const opensTunnel: ProxyScript = (_socket, tunnel) => tunnel();

/** A proxy on raw sockets. `heads` has what came before the tunnels, `sockets` what is open on both sides. */
export async function startProxy(script: ProxyScript = opensTunnel) {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const state = { script };
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    keep(socket).once('data', (chunk) => {
      const head = chunk.toString();
      heads.push(head);
      state.script(socket, () => {
        const [, host, port] = /^CONNECT (.+):(\d+) HTTP\/1.1\r\n/.exec(head) ?? [];
        const onward = keep(connect(Number(port), host));
        socket.write('HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n');
        socket.on('close', () => onward.destroy());
        onward.on('close', () => socket.destroy());
        socket.pipe(onward).pipe(socket);
        return onward;
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  const login = `${encodeURIComponent(PROXY_USER)}:${encodeURIComponent(PROXY_PASSWORD)}`;
  const targets = () => heads.map((head) => /^CONNECT (\S+)/.exec(head)?.[1]);
  return {
    url: `http://127.0.0.1:${port}`,
    urlWithLogin: `http://${login}@127.0.0.1:${port}`,
    heads,
    targets,
    sockets,
    state,
    close,
  };
}
