import { expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { connectTo } from './support/raw-client.ts';

async function send(head: string): Promise<string> {
  const gateway = await startGateway();
  const client = await connectTo(gateway.url);
  client.write(`${head}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  return client.closed;
}

it('a path that cannot be decoded is answered in the gateway’s own JSON, without the path', async () => {
  const text = await send('GET /%zz-secret HTTP/1.1');

  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain('"code":"BAD_USER_INPUT"');
  expect(text).toMatch(/x-request-id: [0-9a-f-]{36}/i);
  expect(text).not.toMatch(/zz-secret|FST_ERR/);
});
