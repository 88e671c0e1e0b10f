import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';

const QUERY =
  'Content-Type: application/json\r\nContent-Length: 26\r\n\r\n{"query":"{ __typename }"}';
const HEADS = [
  `POST /graphql HTTP/1.1\r\n${QUERY}`,
  // Not JSON, another type, too large.
  'POST /graphql HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{',
  'POST /graphql HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx',
  'POST /graphql HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n',
  'DELETE /graphql HTTP/1.1\r\n\r\n',
  'GET /graphql?query={__typename} HTTP/1.1\r\nSec-Fetch-Site: cross-site\r\n\r\n',
  // A cookie without its header.
  `POST /graphql HTTP/1.1\r\nCookie: __Host-caseway=x\r\n${QUERY}`,
  'GET /nothing HTTP/1.1\r\n\r\n',
  'GET /livez HTTP/1.1\r\n\r\n',
  // Not HTTP.
  'nonsense\r\n\r\n',
  `GET /livez HTTP/1.1\r\nX-Large: ${'x'.repeat(40_000)}\r\n\r\n`,
];

it('no response is publicly cacheable, and each has the right Vary header', async () => {
  const SESSION_KEYS = Buffer.alloc(32, 7).toString('base64url');
  const { url } = await startGateway({ NODE_ENV: 'production', IDENTITY: 'user', SESSION_KEYS });
  const { hostname, port } = new URL(url);

  for (const head of HEADS) {
    const socket = connect({ host: hostname, port: Number(port) });
    const more = `HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n`;
    socket.write(head.replace('HTTP/1.1\r\n', more));
    const [received] = (await text(socket)).split('\r\n\r\n');

    expect(received, head.slice(0, 200)).toMatch(/^cache-control:.*no-store/im);
    expect(received, head.slice(0, 200)).toMatch(/^vary:.*authorization.*cookie/im);
  }
});
