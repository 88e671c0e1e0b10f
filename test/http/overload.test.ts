import { describe, expect, it, onTestFinished } from 'vitest';

import { startChainPlatform } from '../support/chain-platform.ts';
import { startGateway } from '../support/gateway.ts';
import { connectTo, requestFor, statusesOf } from './support/raw-client.ts';

const form = (formId: string) => `{ form(formId: "${formId}") { formId } }`;

const CREATE = `mutation A($values: JSONObject!) {
  createInstance(input: { formId: "link", values: $values }) { instance { instanceId } }
}`;

/** A gateway with room for two, both taken by reads that wait for the platform. */
async function startFull(env: Readonly<Record<string, string>> = {}) {
  const platform = await startChainPlatform();
  const gateway = await startGateway({ ...platform.env, MAX_CONCURRENT_REQUESTS: '2', ...env });
  onTestFinished(gateway.close);
  const pending = [];
  for (const formId of ['a', 'b']) {
    const call = platform.next();
    pending.push(gateway.ask(form(formId)));
    await call;
  }
  const release = () => {
    for (const call of platform.calls) call.answer();
  };
  return { ...platform, ...gateway, pending, release };
}

const post = (url: string, body: string) =>
  fetch(`${url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

describe('a gateway with no room left', () => {
  it('refuses a query by 503 with Retry-After and an error in JSON, and asks the platform nothing', async () => {
    const { url, calls } = await startFull();

    const response = await post(url, JSON.stringify({ query: form('c') }));

    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'OVERLOADED', retryable: true } }] });
    expect(calls).toHaveLength(2);
  });

  it('refuses what is asked by GET, and a query of which only a part has come', async () => {
    const { url } = await startFull();
    const client = await connectTo(url);
    const get = await fetch(`${url}/graphql?query=${encodeURIComponent(form('c'))}`);

    client.write(requestFor(form('c')).slice(0, -5));
    client.write(requestFor(form('c')).slice(-5));

    expect(get.status).toBe(503);
    expect(statusesOf(await client.received(/OVERLOADED/))).toEqual(['503']);
  });

  it('says that it lives and is ready', async () => {
    const { url } = await startFull();

    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it('refuses a change as well, and nothing is done', async () => {
    const { url, calls } = await startFull();

    const response = await post(url, JSON.stringify({ query: CREATE, variables: { values: {} } }));

    expect(response.status).toBe(503);
    expect(calls).toHaveLength(2);
  });

  it('keeps a connection whose request it refused, and serves on it when there is room again', async () => {
    const { url, pending, release } = await startFull();
    const client = await connectTo(url);
    client.write(requestFor(form('c')));
    await client.received(/OVERLOADED/);

    release();
    const served = await Promise.all(pending);
    client.write(requestFor('{ __typename }'));

    expect(statusesOf(await client.received(/"__typename"/))).toEqual(['503', '200']);
    expect(served.map(({ data }) => data.form.formId)).toEqual(['a', 'b']);
  });

  it('does not wait for a body that is too large: it ends the connection', async () => {
    const { url } = await startFull();
    const client = await connectTo(url);

    client.write('POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n{');
    client.write('x'.repeat(300_000));

    expect(statusesOf(await client.closed)).toEqual(['503']);
  });

  it('has room again when a client of those in flight has gone', async () => {
    const platform = await startChainPlatform();
    const gateway = await startGateway({ ...platform.env, MAX_CONCURRENT_REQUESTS: '1' });
    onTestFinished(gateway.close);
    const client = await connectTo(gateway.url);
    const called = platform.next();
    client.write(requestFor(form('a')));
    const call = await called;

    client.socket.destroy();
    await call.dropped;

    expect((await gateway.ask('{ __typename }')).status).toBe(200);
  });
});
