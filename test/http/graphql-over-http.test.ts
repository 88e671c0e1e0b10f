import { describe, expect, it } from 'vitest';

import { postBody, shareGateway } from '../support/gateway.ts';

const gateway = shareGateway();

const QUERY = '{ form(formId: "supplier") { name } }';
const MUTATION =
  'mutation { deleteInstance(input: { formId: "supplier", instanceId: 1 }) { deletedId } }';
const ANSWER = { data: { form: { name: 'Supplier' } } };
const REFUSED = { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] };

/** An admitted operation takes a shorter path. */
const TIMES = ['admitted for the first time', 'known'];

const get = (search: Readonly<Record<string, string>>, headers: object = {}) =>
  fetch(`${gateway.url}/graphql?${new URLSearchParams(search)}`, { headers: { ...headers } });
const post = (body: string | object, headers: object = {}) => postBody(gateway.url, body, headers);

describe('the header accept', () => {
  it.each([
    '*/*',
    'application/graphql-response+json,application/json;q=0.9',
    'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
    'application/json;q=0.5, application/graphql-response+json',
    'application/*',
    'application/json;q=0',
    'text/html',
  ])('is heeded for a document that the gateway knows as the first time: %s', async (accept) => {
    const query = `{ viewer { name } } # ${accept}`;

    const [first, second] = [await get({ query }, { accept }), await get({ query }, { accept })];

    expect(second.status).toBe(first.status);
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
  });

  it.each(['application/json;q=0', 'multipart/mixed'])(
    'lets no mutation run whose response is not acceptable: %s',
    async (accept) => {
      const values = '{ name: "Aviso", country: "PT", active: true }';
      const query = `mutation { createInstance(input: { formId: "supplier", values: ${values} }) { instance { id } } }`;

      for (const _ of TIMES) {
        const response = await post({ query }, { accept });
        expect(response.status).toBe(406);
        expect(await response.json()).toMatchObject(REFUSED);
      }
      expect(gateway.calls).toEqual([]);
    },
  );

  it('without JSON does not hide the fault of a document', async () => {
    const response = await post({ query: '{ nothing }' }, { accept: 'text/html' });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject(REFUSED);
  });
});

describe('GraphQL over HTTP', () => {
  it('takes an empty operation name by POST as no name', async () => {
    for (const _ of TIMES) {
      const response = await post({ query: `${QUERY} # nameless`, operationName: '' });
      expect(await response.json()).toEqual(ANSWER);
    }
  });

  it.each(['operationName', 'variables', 'extensions', 'documentId'])(
    'takes an empty parameter %s by GET as no parameter',
    async (name) => {
      const search = { query: `${QUERY} # without ${name}`, [name]: '' };
      for (const _ of TIMES) expect(await (await get(search)).json()).toEqual(ANSWER);
    },
  );

  it('refuses an empty operation name where the document has several operations', async () => {
    const query = 'query A { __typename } query B { __typename }';
    const response = await post({ query, operationName: '' });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      errors: [{ message: expect.stringMatching(/^Must provide operation name/) }],
    });
  });

  it.each(['variables', 'extensions'])('names the parameter %s that is not JSON', async (name) => {
    const response = await get({ query: QUERY, [name]: '{"a":' });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      errors: [{ message: `The parameter ${name} is not JSON.` }],
    });
  });

  it('refuses variables that are null by GET, also for a document that it knows', async () => {
    const query = '{ __typename }';
    for (const _ of TIMES) {
      expect((await get({ query, variables: 'null' })).status).toBe(400);
      expect((await get({ query })).status).toBe(200);
    }
  });

  it('answers a query by GET with a content type, and knows it from then on', async () => {
    const query = 'query ($id: ID!) { form(formId: $id) { name } } # typed';
    const headers = { 'content-type': 'application/json' };

    for (const _ of TIMES) {
      const response = await get({ query, variables: '{"id":"supplier"}' }, headers);
      expect(await response.json()).toEqual(ANSWER);
    }
  });

  it.each([
    ['GET', 'POST', `?query=${encodeURIComponent(MUTATION)}`],
    ['PUT', 'GET, POST', ''],
    ['PATCH', 'GET, POST', ''],
    ['DELETE', 'GET, POST', ''],
    ['OPTIONS', 'GET, POST', ''],
  ])(
    'answers %s with 405 and that %s is allowed, also for a mutation by GET',
    async (method, allow, search) => {
      const response = await fetch(`${gateway.url}/graphql${search}`, { method });

      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe(allow);
      expect(await response.json()).toMatchObject({
        errors: [{ extensions: { code: expect.any(String) } }],
      });
    },
  );

  const json = 'application/json';

  it.each([
    ['a body that is not JSON', 400, '{"query": ', json],
    ['an empty body', 400, '', json],
    ['no query', 400, '{}', json],
    ['null', 400, 'null', json],
    ['a batch', 400, `[${JSON.stringify({ query: QUERY })}]`, json],
    [
      'variables that are not an object',
      400,
      '{"query": "{ __typename }", "variables": [1]}',
      json,
    ],
    ['another content type', 415, QUERY, 'text/plain'],
    ['a form body', 415, `query=${encodeURIComponent(QUERY)}`, 'application/x-www-form-urlencoded'],
  ])('rejects %s with status %i and a JSON error', async (_what, status, body, type) => {
    const response = await post(body, { 'content-type': type });

    const requestId = response.headers.get('x-request-id');
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT', requestId } }],
    });
  });

  it('responds in JSON for an unknown path', async () => {
    const response = await fetch(`${gateway.url}/nothing`);

    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
  });
});
