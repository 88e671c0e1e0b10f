import { describe, expect, it } from 'vitest';

import { startChainPlatform } from '../support/chain-platform.ts';
import { startGateway } from '../support/gateway.ts';
import { connectTo, requestFor, statusesOf } from './support/raw-client.ts';

async function start() {
  const platform = await startChainPlatform();
  const gateway = await startGateway(platform.env);
  return { ...platform, ...gateway, client: await connectTo(gateway.url) };
}

const read = (id: number) =>
  requestFor(`{ instance(formId: "link", instanceId: ${id}) { instanceId } }`);

describe('pipelined requests on one connection', () => {
  it('are answered in order', async () => {
    const { client, calls, next } = await start();

    const called = [next(), next()];
    client.write(read(1) + read(2));
    await Promise.all(called);
    for (const call of calls.toReversed()) call.answer();

    expect(await client.received(/"instanceId":"2"/)).toMatch(
      /"instanceId":"1".*"instanceId":"2"/s,
    );
  });

  it('close the connection when there are too many, without affecting others', async () => {
    const { execute, client } = await start();

    client.write(read(1).repeat(10_000));

    expect(await client.closed).toBe('');
    expect((await execute('{ __typename }')).status).toBe(200);
  });

  it('that are malformed do not affect the response before them', async () => {
    const { client, next } = await start();

    const called = next();
    client.write(`${read(1)}hello\r\n\r\n`);
    (await called).answer();
    const text = await client.closed;

    expect(statusesOf(text)).toEqual(['200']);
    expect(text).toContain('"instanceId":"1"');
  });
});
