import { describe, expect, it, onTestFinished } from 'vitest';

import { shareGateway } from '../../support/gateway.ts';
import { EVENTS, PARTS, subscribe } from './support.ts';

const EXPENSES =
  'subscription { instances(formId: "expense", first: 2) { totalCount nodes { instanceId } } }';
const CREATE =
  'mutation { createInstance(input: { formId: "supplier", values: { name: "New", country: "DE", active: true } }) { instance { id } } }';
const SUPPLIERS = 'subscription Suppliers { instances(formId: "supplier") { totalCount } }';

const gateway = shareGateway();

const get = (query: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal) =>
  fetch(`${gateway.url}/graphql?query=${encodeURIComponent(query)}`, {
    headers,
    ...(signal && { signal }),
  });

/** Reads the stream of a response until a text has come. */
async function readUntil({ body }: Response, text: string): Promise<string> {
  let received = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    received += chunk;
    if (received.includes(text)) break;
  }
  return received;
}

describe('a subscription', () => {
  it.each([
    [
      'server-sent events',
      EVENTS,
      /^text\/event-stream/,
      /^:\n\nevent: next\ndata: \{"data":.*\}\n\n$/,
    ],
    [
      'multipart',
      PARTS,
      /^multipart\/mixed;boundary="graphql";subscriptionSpec=1\.0$/,
      /^--graphql\r\ncontent-type: application\/json; charset=utf-8\r\n\r\n\{"payload":\{"data":.*\}\}\r\n--graphql$/,
    ],
  ])('gives the state at once as %s', async (_name, accept, type, framed) => {
    const asked = await gateway.execute(EXPENSES.replace('subscription', 'query'));

    const stream = await subscribe(gateway.url, EXPENSES, { accept });

    expect(stream.status).toBe(200);
    expect(stream.headers['content-type']).toMatch(type);
    expect(stream.headers).toMatchObject({
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(stream.headers).not.toHaveProperty('content-encoding');
    expect(await stream.next()).toEqual({ data: asked.data });
    expect(stream.text()).toMatch(framed);
  });

  it.each([
    ['multipart/mixed; boundary="a, b"; subscriptionSpec="1.0"', /^multipart/],
    ['Text/Event-Stream; charset=utf-8', /^text\/event-stream/],
    [`${PARTS}, text/event-stream;q=0`, /^multipart/],
    [`${PARTS}, ${EVENTS}`, /^text\/event-stream/],
  ])('is what Accept names: %s', async (accept, type) => {
    const stream = await subscribe(gateway.url, EXPENSES, { accept });
    expect(stream.headers['content-type']).toMatch(type);
  });

  it.each([
    ...['application/json', '*/*', 'multipart/mixed', 'text/event-stream;q=0'],
    'application/json; title="a, text/event-stream, b"',
  ])('is refused with 406 for Accept: %s, and nothing is called', async (accept) => {
    const { status, ended } = await subscribe(gateway.url, EXPENSES, { accept });
    expect(status).toBe(406);
    expect(JSON.parse(await ended).errors[0].message).toMatch(
      /text\/event-stream.*subscriptionSpec=1\.0/,
    );
    expect(gateway.calls).toEqual([]);
  });

  it.each([
    [EVENTS, /^:\n\nevent: next\nid: next\ndata: \{"data":/],
    [PARTS, /^--graphql\r\n/],
  ])('is answered by GET as well, with Accept: %s', async (accept, framed) => {
    const aborter = new AbortController();
    onTestFinished(() => aborter.abort());
    for (const _turn of ['admitted', 'known']) {
      const response = await get(EXPENSES, { accept }, aborter.signal);

      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain(accept.split(';')[0]);
      expect(await readUntil(response, 'totalCount')).toMatch(framed);
    }
  });

  it('is refused by GET without a stream, and so is a mutation with one', async () => {
    expect((await get(EXPENSES, { accept: 'application/json' })).status).toBe(405);
    for (const _turn of ['admitted', 'known']) {
      const mutation = await get(CREATE, { accept: EVENTS });
      expect(mutation.status).toBe(405);
      expect(mutation.headers.get('allow')).toBe('POST');
      expect(await mutation.text()).toContain('Send a mutation by POST.');
    }
    expect(gateway.calls).toEqual([]);
  });

  it('is refused by GET from a page of another site', async () => {
    const response = await get(EXPENSES, { accept: EVENTS, 'sec-fetch-site': 'cross-site' });

    expect(response.status).toBe(403);
    expect(gateway.calls).toEqual([]);
  });

  it('is complete with an id, and not opened again after that', async () => {
    const nothing =
      'subscription { instance(formId: "expense", instanceId: 1) @skip(if: false) { __typename } }';
    const invalid = await get(nothing, { accept: EVENTS });
    const reopened = await get(EXPENSES, { accept: EVENTS, 'last-event-id': 'complete' });

    expect(invalid.status).toBe(400);
    expect([reopened.status, await reopened.text()]).toEqual([204, '']);
    expect(gateway.calls).toEqual([]);
  });

  it('accepts SSE alone, while a query by SSE alone gets 406 without a run, and by SSE and JSON a response in JSON', async () => {
    const query = '{ instances(formId: "expense", first: 1) { totalCount } }';

    const refused = await subscribe(gateway.url, query, { accept: EVENTS });
    const before = [...gateway.calls];
    const answered = await subscribe(gateway.url, query, { accept: `${EVENTS}, application/json` });

    expect(refused.status).toBe(406);
    expect(JSON.parse(await refused.ended).errors[0].message).toMatch(
      /application\/json; nothing was executed/,
    );
    expect(before).toEqual([]);
    expect(answered.status).toBe(200);
    expect(answered.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(await answered.ended).data.instances.totalCount).toBeGreaterThan(0);
  });

  it.each([
    ['application/json', 200],
    ['application/graphql-response+json', 400],
    [`${EVENTS}, application/json`, 200],
  ])(
    'that is invalid is answered like an invalid query, with Accept: %s',
    async (accept, status) => {
      const fields = '{ forms { nothing } }';
      const subscribed = await subscribe(gateway.url, `subscription ${fields}`, { accept });
      const queried = await subscribe(gateway.url, `query ${fields}`, { accept });
      expect([subscribed.status, queried.status]).toEqual([status, status]);
      expect(subscribed.headers['content-type']).toBe(queried.headers['content-type']);
      expect(JSON.parse(await subscribed.ended).errors[0].extensions.code).toBe('BAD_USER_INPUT');
    },
  );

  it('gives the whole answer again after a change through the gateway', async () => {
    const stream = await subscribe(gateway.url, SUPPLIERS);
    const { data } = await stream.next();

    await gateway.execute(CREATE);

    expect((await stream.next()).data.instances.totalCount).toBe(data.instances.totalCount + 1);
  });
});
