import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';

import { createBridge } from '../../../src/features/mcp/bridge.ts';
import { createClient } from './support.ts';

/** Starts what is no gateway; gives its address. */
async function startOther(): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(502).end('<html>Bad gateway</html>'));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ['answers', async () => 'http://127.0.0.1:1'],
  ['but a proxy answers', startOther],
])('the bridge says what to do where no gateway %s', async (_what, start) => {
  const bridge = createBridge({ url: await start(), headers: {} }, '1');
  onTestFinished(() => bridge.close());
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = createClient({ protocol: 'legacy' });
  await Promise.all([bridge.connect(there), client.connect(here)]);

  await expect(client.callTool({ name: 'Any', arguments: {} })).rejects.toThrow(
    'See that it runs, has MCP on, and is at the address of --url.',
  );
});

it('the bridge follows no redirect, which would take its key to another host', async () => {
  const asked: unknown[] = [];
  const elsewhere = createServer(({ headers }, response) => {
    asked.push(headers['x-api-key']);
    response.end('{}');
  });
  const server = createServer((_request, response) => {
    const { port } = elsewhere.address() as AddressInfo;
    response.writeHead(307, { location: `http://localhost:${port}/mcp` }).end();
  });
  for (const one of [server, elsewhere]) {
    onTestFinished(() => void one.close());
    await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bridge = createBridge({ url, headers: { 'x-api-key': 'secret' } }, '1');
  onTestFinished(() => bridge.close());
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = createClient({ protocol: 'legacy' });
  await Promise.all([bridge.connect(there), client.connect(here)]);

  await expect(client.callTool({ name: 'Any', arguments: {} })).rejects.toThrow('at the address of --url');
  expect(asked).toEqual([]);
});
