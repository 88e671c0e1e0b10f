import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';

const REQUESTS = {
  'a question':
    'POST /graphql HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 26\r\n\r\n{"query":"{ __typename }"}',
  'a body that is not JSON':
    'POST /graphql HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{',
  'a body of another type':
    'POST /graphql HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx',
  'a body that is too large':
    'POST /graphql HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n',
  'a method that is not taken': 'DELETE /graphql HTTP/1.1\r\n\r\n',
  'a question from another site':
    'GET /graphql?query={__typename} HTTP/1.1\r\nSec-Fetch-Site: cross-site\r\n\r\n',
  'a cookie without the header beside it':
    'POST /graphql HTTP/1.1\r\nCookie: __Host-caseway=x\r\nContent-Type: application/json\r\nContent-Length: 26\r\n\r\n{"query":"{ __typename }"}',
  'an address where nothing is': 'GET /nothing HTTP/1.1\r\n\r\n',
  'a look at its health': 'GET /livez HTTP/1.1\r\n\r\n',
  'what is no HTTP': 'nonsense\r\n\r\n',
  'a head that is too large': `GET /livez HTTP/1.1\r\nX-Large: ${'x'.repeat(40_000)}\r\n\r\n`,
} as const;

it('no response is publicly cacheable, and each has the right Vary header', async () => {
  const SESSION_KEYS = Buffer.alloc(32, 7).toString('base64url');
  const { url } = await startGateway({ NODE_ENV: 'production', IDENTITY: 'user', SESSION_KEYS });
  const { hostname, port } = new URL(url);
  const execute = async (request: string) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write(
      request.replace('HTTP/1.1\r\n', `HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n`),
    );
    const [head = ''] = (await text(socket)).split('\r\n\r\n');
    return {
      isKept: !/^cache-control:.*no-store/im.test(head),
      isVaried: /^vary:.*authorization.*cookie/im.test(head),
    };
  };

  const answers = await Promise.all(
    Object.entries(REQUESTS).map(async ([what, request]) => [what, await execute(request)]),
  );

  const right = Object.keys(REQUESTS).map((what) => [what, { isKept: false, isVaried: true }]);
  expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(right));
});
