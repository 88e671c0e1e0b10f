import { request } from 'node:http';
import { createSecureContext } from 'node:tls';
import { buildConnector } from 'undici';

import type { Transport } from '../config/transport.ts';
import { codeOf } from '../core/errors.ts';

/** For a connection, for a tunnel of the proxy, and for TLS in that tunnel. */
const CONNECT_TIMEOUT_MS = 1_000;
const KEEP_ALIVE_MS = 60_000;

/** Opens connections to one origin as undici wants them, directly or through the proxy. */
export function createConnect(origin: string, transport?: Transport): buildConnector.connector {
  const { proxy, ca } = transport ?? {};
  const certificate = transport?.origin === origin ? transport.certificate : undefined;
  const minVersion = 'TLSv1.2';
  // Made once: to read all authorities takes longer than a handshake.
  const secureContext =
    (ca ?? certificate) && createSecureContext({ ca, cert: certificate, key: certificate, minVersion });
  // Set here, so that nothing in the environment can set them otherwise.
  const options = { timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: true, minVersion, allowH2: false } as const;
  const connect = buildConnector({ ...options, ...(secureContext && { secureContext }) });
  if (proxy === undefined) return connect;

  const { protocol, host, port } = new URL(origin);
  const target = port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
  return (given, callback) =>
    openTunnel(proxy, target, (error, socket) => {
      if (error !== null) callback(error, null);
      else if (protocol === 'https:') connect({ ...given, httpSocket: socket }, callback);
      else callback(null, socket.setNoDelay().setKeepAlive(true, KEEP_ALIVE_MS));
    });
}

/** Asks the proxy for a tunnel to `target`, a host with its port. The code of an error begins with `PROXY_`. */
function openTunnel(via: URL, target: string, onTunnel: buildConnector.Callback): void {
  const { hostname, port, username, password } = via;
  const pair = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64');
  const headers = { host: target, ...((username || password) && { 'proxy-authorization': `Basic ${pair}` }) };
  const proxy = { host: hostname.replace(/^\[|\]$/g, ''), port: port || 80, agent: false, maxHeaderSize: 16_384 };
  const connect = request({ ...proxy, method: 'CONNECT', path: target, headers });
  const fail = (code = 'ETIMEDOUT') => {
    clearTimeout(timer);
    onTunnel(Object.assign(new Error('The proxy opens no tunnel.'), { code: `PROXY_${code}` }), null);
  };
  const timer = setTimeout(() => connect.destroy(new Error('timeout')), CONNECT_TIMEOUT_MS);
  connect.on('error', (error) => fail(codeOf(error)));
  connect.on('connect', ({ statusCode = 0 }, socket, rest) => {
    // No platform speaks first: what follows the head is the proxy's own.
    if (statusCode < 200 || statusCode > 299 || rest.length > 0) {
      socket.on('error', () => undefined).destroy();
      return fail(`STATUS_${statusCode}`);
    }
    clearTimeout(timer);
    onTunnel(null, socket);
  });
  connect.end();
}
