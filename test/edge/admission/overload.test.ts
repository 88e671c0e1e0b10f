import { describe, expect, it, onTestFinished } from 'vitest';

import { startChainPlatform } from '../../support/chain-platform.ts';
import { writeFolder } from '../../support/folder.ts';
import { startGateway } from '../../support/gateway.ts';
import { connectTo, requestFor, statusesOf } from '../support/raw-client.ts';

const form = (formId: string) => `{ form(formId: "${formId}") { formId } }`;

const CREATE = `mutation A($values: JSONObject!) {
  createInstance(input: { formId: "link", values: $values }) { instance { instanceId } }
}`;

/** A gateway with room for two, both taken by reads that wait for the platform. */
async function startFull(env: Readonly<Record<string, string>> = {}) {
  const platform = await startChainPlatform();
  const gateway = await startGateway({ ...platform.env, ADMISSION_MAX_IN_FLIGHT: '2', ...env });
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

  it('takes a change all the same, with its whole body', async () => {
    const { url, next } = await startFull();
    const called = next();
    const response = post(url, JSON.stringify({ variables: { values: { text: 'é'.repeat(50_000) } }, query: CREATE }));

    (await called).answer();

    expect((await response).status).toBe(200);
    expect(await (await response).json()).toMatchObject({
      data: { createInstance: { instance: { instanceId: '1' } } },
    });
  });

  it('takes a change that is asked by its name, and no query that is', async () => {
    const DOCUMENTS = writeFolder({ 'create.graphql': CREATE, 'read.graphql': form('c') });
    const { url, next, calls } = await startFull({ DOCUMENTS });
    const refused = await post(url, JSON.stringify({ documentId: 'read' }));
    const called = next();
    const response = post(url, JSON.stringify({ documentId: 'create', variables: { values: { text: 'a' } } }));

    (await called).answer();

    expect(refused.status).toBe(503);
    expect((await response).status).toBe(200);
    expect(calls).toHaveLength(3);
  });

  it('refuses a query that only calls itself a change', async () => {
    const { url, calls } = await startFull();
    const disguised = ['# mutation {', 'query mutation {', '{ mutation: __typename }\nquery B {'];

    const beside = { query: `query A ${form('c')} mutation B { signOut { viewer { name } } }`, operationName: 'A' };

    const answers = await Promise.all([
      ...disguised.map((start) => post(url, JSON.stringify({ query: `${start}\n${form('c').slice(2)}` }))),
      post(url, JSON.stringify(beside)),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
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

    client.write('POST /graphql HTTP/1.1\r\nHost: gateway\r\nContent-Length: 100000000\r\n\r\n{');
    client.write('x'.repeat(300_000));

    expect(statusesOf(await client.closed)).toEqual(['503']);
  });

  it('has room again when a client of those in flight has gone', async () => {
    const platform = await startChainPlatform();
    const gateway = await startGateway({ ...platform.env, ADMISSION_MAX_IN_FLIGHT: '1' });
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
