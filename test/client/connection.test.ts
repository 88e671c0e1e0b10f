import { createServer } from 'node:http';
import {
  type Connection,
  createConnection,
  createKey,
  isOutcomeUnknown,
  isRetryable,
  isUnauthenticated,
  RequestError,
  retry,
  type TypedDocument,
} from 'caseway/client';
import { describe, expect, it, onTestFinished } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { shareGateway, startCountedGateway, startGateway } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';

const COUNT = '{ forms { totalCount } }';
const CREATE = `mutation ($key: ID) {
  createSupplier(input: {
    values: { name: "New", country: IT, active: true }
    idempotencyKey: $key
  }) { instance { id } }
}`;

const connect = (url: string): Connection => createConnection({ url: `${url}/graphql` });
const failureOf = (request: Promise<unknown>) => request.catch((error: unknown) => error);

describe('a connection to a gateway', () => {
  const gateway = shareGateway({ TYPED_FORMS: '*' });

  it('returns the data of a request', async () => {
    const document = 'query ($id: ID!) { form(formId: $id) { formId } }' as string &
      TypedDocument<{ readonly form: { readonly formId: string } }, { readonly id: string }>;

    const { form } = await connect(gateway.url).request(document, { id: 'expense' });

    expect(form).toEqual({ formId: 'expense' });
  });

  it('accepts documents of graphql-tag and of the client preset', async () => {
    const { request } = connect(gateway.url);
    const tagged = { loc: { source: { body: COUNT } } };

    for (const document of [tagged, new String(COUNT)]) {
      expect(await request(document as object)).toEqual({ forms: { totalCount: 4 } });
    }
    await expect(request({ kind: 'Document' } as object)).rejects.toThrow('has no text');
  });

  it('fails if a part of the response failed, and has the other parts', async () => {
    const { request } = connect(gateway.url);

    const error = await failureOf(
      request('{ forms { totalCount } instances(formId: "none") { totalCount } }'),
    );

    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ status: 200, data: { forms: { totalCount: 4 } } });
  });

  it('repeats a keyed write whose response was lost, and makes it once', async () => {
    let isLost = true;
    const { request } = createConnection({
      url: `${gateway.url}/graphql`,
      fetch: async (...args) => {
        const response = await fetch(...args);
        if (!isLost) return response;
        isLost = false;
        throw new TypeError('fetch failed');
      },
    });
    const key = createKey();

    const data = await retry('keyed-write', () => request(CREATE, { key }));

    expect(data).toEqual({ createSupplier: { instance: { id: expect.any(String) } } });
    expect(gateway.calls.filter((call) => call === 'createFormIntance')).toHaveLength(1);
  });

  it('fails after its time, and may have had an effect', async () => {
    const url = await listen(createServer(() => undefined));
    const { request } = createConnection({ url, timeoutMs: 20 });

    const error = await failureOf(request(COUNT));

    expect(error).toMatchObject({ name: 'TimeoutError' });
    expect([isRetryable(error, 'read'), isOutcomeUnknown(error)]).toEqual([true, true]);
  });

  it('ends a request that is aborted', async () => {
    const controller = new AbortController();
    const server = createServer(() => controller.abort());
    const { request } = createConnection({ url: await listen(server) });

    const error = await failureOf(request('{ x }', {}, { signal: controller.signal }));

    expect(error).toMatchObject({ name: 'AbortError' });
    expect(isRetryable(error, 'read')).toBe(false);
  });

  it.each([
    [200, '<html>'],
    [200, '{}'],
    [200, '{"data":null}'],
    [502, '<html>'],
  ])('never takes a response without data for a success: %i %s', async (status, body) => {
    const server = createServer((_request, response) => response.writeHead(status).end(body));
    const { request } = createConnection({ url: await listen(server) });

    const error = await failureOf(request('{ x }'));

    expect(error).toMatchObject({ name: 'RequestError', status, errors: [] });
    expect(isOutcomeUnknown(error)).toBe(true);
  });
});

it('sends the ids of trusted documents', async () => {
  const folder = writeFolder({ 'count.graphql': 'query Count { forms { totalCount } }' });
  const gateway = await startGateway({ DOCUMENTS: folder, DOCUMENTS_MODE: 'enforce' });
  const { request } = connect(gateway.url);

  const data = await request({ documentId: 'count' });
  const byHash = await request({ __meta__: { hash: 'count' } } as object);
  const error = await failureOf(request('{ forms { nodes { formId } } }'));

  expect([data, byHash]).toEqual([{ forms: { totalCount: 4 } }, { forms: { totalCount: 4 } }]);
  expect(error).toMatchObject({ errors: [{ extensions: { code: 'DOCUMENT_NOT_TRUSTED' } }] });
});

it('a session begins with the sign-in and ends with the sign-out, by its cookie', async () => {
  const gateway = await startCountedGateway({ IDENTITY: 'user' });
  let cookie = '';
  const { request, signIn, signOut } = createConnection({
    url: `${gateway.url}/graphql`,
    headers: () => ({ cookie }),
    fetch: async (...args) => {
      const response = await fetch(...args);
      const [set] = response.headers.getSetCookie();
      if (set) [cookie = ''] = set.split(';');
      return response;
    },
  });

  const refused = await failureOf(signIn('demo', 'wrong'));
  const { viewer, expiresAt } = await signIn('demo', 'demo');
  const during = await request(COUNT);
  await signOut();
  const after = await failureOf(request(COUNT));
  await signOut();

  expect(isUnauthenticated(refused)).toBe(true);
  expect([viewer.name, Date.parse(expiresAt) > Date.now()]).toEqual(['demo', true]);
  expect(during).toMatchObject({ forms: { totalCount: expect.any(Number) } });
  expect(isUnauthenticated(after)).toBe(true);
});

describe('a subscription', () => {
  /** Subscribes. `seen` grows by each result, and by the kind or the error of each other event. */
  function subscribe(url: string) {
    const seen: unknown[] = [];
    const connection = createConnection({ url });
    const close = connection.subscribe(
      'subscription { suppliers { totalCount } }',
      {},
      {
        next: ({ data }) => seen.push(data),
        error: (error) => seen.push(error),
        complete: () => seen.push('complete'),
        reconnecting: () => seen.push('reconnecting'),
      },
    );
    onTestFinished(close);
    return { seen, close };
  }

  it('receives the state and each change until it is closed', async () => {
    const gateway = await startGateway({ TYPED_FORMS: '*', METRICS_PORT: '0' });
    const { seen, close } = subscribe(`${gateway.url}/graphql`);

    await expect.poll(() => seen.length).toBe(1);
    await gateway.dataOf(CREATE);
    await expect.poll(() => seen.length).toBe(2);
    close();

    expect(seen).toEqual([{ suppliers: { totalCount: 12 } }, { suppliers: { totalCount: 13 } }]);
    await expect.poll(gateway.metrics).toMatch(/^caseway_live_streams 0$/m);
  });

  it('is opened again if its stream is lost, and ends if it is refused', async () => {
    let isLost = false;
    const server = createServer((_request, response) => {
      if (isLost) {
        response.writeHead(401, { 'content-type': 'application/json' });
        response.end('{"errors":[{"message":"No.","extensions":{"code":"UNAUTHENTICATED"}}]}');
        return;
      }
      isLost = true;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': a heartbeat\n\nevent: next\r\ndata: {"data":{"count":1}}\r\n\r\n');
      response.write('event: next\ndata: {"data":');
      setImmediate(() => response.destroy());
    });

    const { seen } = subscribe(await listen(server));

    await expect.poll(() => isUnauthenticated(seen[2])).toBe(true);
    expect(seen.slice(0, 2)).toEqual([{ count: 1 }, 'reconnecting']);
  });

  it('ends with the event of the gateway', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('event: next\ndata: {"data":{}}\n\nevent: complete\ndata:\n\n');
    });

    const { seen } = subscribe(await listen(server));

    await expect.poll(() => seen).toEqual([{}, 'complete']);
  });
});
