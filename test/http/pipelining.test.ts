import { describe, expect, it } from 'vitest';
import { delayPlatform } from '../support/delayed-platform.ts';
import { startCountedGateway, startGateway } from '../support/gateway.ts';
import { connectTo, requestFor, statusesOf } from './support/raw-client.ts';

async function startHeld() {
  const { calls, origin } = await startCountedGateway();
  const held = await delayPlatform(origin);
  const credentials = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
  const gateway = await startGateway({ UPSTREAM_URL: held.url, ...credentials });
  return { ...gateway, held, calls };
}

const form = (formId: string) => requestFor(`{ form(formId: "${formId}") { formId } }`);

describe('pipelined requests on one connection', () => {
  it('are answered in order', async () => {
    const { url, held, calls } = await startHeld();
    const client = await connectTo(url);

    client.write(form('supplier') + form('employee'));
    await held.firstRequest;
    held.release();
    const text = await client.received(/"employee"/);

    expect(text).toMatch(/"supplier".*"employee"/s);
    expect(calls).toEqual(['getToken', 'getForm', 'getForm']);
  });

  it('close the connection when there are too many, without affecting others', async () => {
    const { url, execute, held } = await startHeld();
    const client = await connectTo(url);

    client.write(form('supplier').repeat(10_000));
    const text = await client.closed;
    const other = await execute('{ __typename }');
    held.release();

    expect(other.status).toBe(200);
    expect(text).toBe('');
  });

  it('that are malformed do not affect the response before them', async () => {
    const { url, held } = await startHeld();
    const client = await connectTo(url);

    client.write(`${form('supplier')}hello\r\n\r\n`);
    await held.firstRequest;
    held.release();
    const text = await client.closed;

    expect(statusesOf(text)).toEqual(['200']);
    expect(text).toContain('"supplier"');
  });
});
