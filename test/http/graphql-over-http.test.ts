import { describe, expect, it } from 'vitest';

import { type GraphqlAnswer, postBody, shareGateway } from '../support/gateway.ts';

const gateway = shareGateway();

const QUERY = '{ form(formId: "supplier") { name } }';
const MUTATION =
  'mutation { deleteInstance(input: { formId: "supplier", instanceId: 1 }) { deletedId } }';
const ANSWER = { data: { form: { name: 'Supplier' } } };

const get = (query: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${gateway.url}/graphql?query=${encodeURIComponent(query)}`, { headers });

const post = (
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
) => postBody(gateway.url, body, headers);

it.each([
  '*/*',
  'application/graphql-response+json,application/json;q=0.9',
  'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
  'application/json;q=0.5, application/graphql-response+json',
  'application/*',
  'application/json;q=0',
  'text/html',
])(
  'answers a document that it knows with the type of the first answer, with accept: %s',
  async (accept) => {
    const query = `{ viewer { name } } # ${accept}`;

    const [first, second] = [await get(query, { accept }), await get(query, { accept })];

    expect(second.status).toBe(first.status);
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
  },
);

it.each(['application/json;q=0', 'multipart/mixed'])(
  'executes no mutation whose response is not acceptable, with accept: %s',
  async (accept) => {
    const instances = '{ instances(formId: "supplier") { totalCount } }';
    const values = '{ name: "Aviso", country: "PT", active: true }';
    const create = `mutation { createInstance(input: { formId: "supplier", values: ${values} }) { instance { id } } }`;
    const before = await (await get(instances)).json();

    // Twice, since an admitted operation takes a shorter path.
    const responses = [];
    for (const query of [create, create])
      responses.push(await post(JSON.stringify({ query }), { accept }));

    expect(responses.map(({ status }) => status)).toEqual([406, 406]);
    expect(await responses[0]?.json()).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    expect(await (await get(instances)).json()).toEqual(before);
  },
);

it('reports the fault of a document to a client that accepts no JSON', async () => {
  const response = await post(JSON.stringify({ query: '{ nothing }' }), { accept: 'text/html' });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
  });
});

describe('GraphQL over HTTP', () => {
  it('takes an empty operation name by POST as no name', async () => {
    for (const _ of ['admitted for the first time', 'known']) {
      const body = JSON.stringify({ query: `${QUERY} # nameless`, operationName: '' });
      expect(await (await post(body)).json()).toEqual(ANSWER);
    }
  });

  it.each(['operationName', 'variables', 'extensions', 'documentId'])(
    'takes an empty parameter %s by GET as no parameter',
    async (name) => {
      const search = new URLSearchParams({ query: `${QUERY} # without ${name}`, [name]: '' });
      for (const _ of ['admitted for the first time', 'known']) {
        const response = await fetch(`${gateway.url}/graphql?${search}`);
        expect(await response.json()).toEqual(ANSWER);
      }
    },
  );

  it('refuses an empty operation name where the document has several operations', async () => {
    const query = 'query A { __typename } query B { __typename }';
    const response = await post(JSON.stringify({ query, operationName: '' }));
    const { errors } = (await response.json()) as GraphqlAnswer;

    expect(response.status).toBe(400);
    expect(errors?.[0]?.message).toMatch(/^Must provide operation name/);
  });

  it.each(['variables', 'extensions'])('names the parameter %s that is not JSON', async (name) => {
    const search = new URLSearchParams({ query: QUERY, [name]: '{"a":' });
    const response = await fetch(`${gateway.url}/graphql?${search}`);

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      errors: [{ message: `The parameter ${name} is not JSON.` }],
    });
  });

  it('refuses variables that are null by GET, also for a document that it knows', async () => {
    const search = new URLSearchParams({ query: '{ __typename }', variables: 'null' });
    const statuses = [];
    for (const _ of [1, 2]) {
      statuses.push((await fetch(`${gateway.url}/graphql?${search}`)).status);
      statuses.push((await get('{ __typename }')).status);
    }

    expect(statuses).toEqual([400, 200, 400, 200]);
  });

  it('answers a query by GET with a content type, and knows it from then on', async () => {
    const query = 'query ($id: ID!) { form(formId: $id) { name } } # typed';
    const search = new URLSearchParams({ query, variables: '{"id":"supplier"}' });
    const headers = { 'content-type': 'application/json' };

    for (const _ of [1, 2]) {
      expect(await (await fetch(`${gateway.url}/graphql?${search}`, { headers })).json()).toEqual(
        ANSWER,
      );
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

  const UNREADABLE: readonly [
    what: string,
    status: number,
    body: string | Uint8Array<ArrayBuffer>,
    type: string,
  ][] = [
    ['a body that is not JSON', 400, '{"query": ', 'application/json'],
    ['an empty body', 400, '', 'application/json'],
    ['no query', 400, '{}', 'application/json'],
    ['null', 400, 'null', 'application/json'],
    ['a batch', 400, `[${JSON.stringify({ query: QUERY })}]`, 'application/json'],
    [
      'variables that are not an object',
      400,
      '{"query": "{ __typename }", "variables": [1]}',
      'application/json',
    ],
    ['another content type', 415, QUERY, 'text/plain'],
    ['a form body', 415, `query=${encodeURIComponent(QUERY)}`, 'application/x-www-form-urlencoded'],
  ];

  it.each(UNREADABLE)(
    'rejects %s with status %i and a JSON error',
    async (_what, status, body, type) => {
      const response = await post(body, { 'content-type': type });

      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({
        errors: [
          {
            extensions: { code: 'BAD_USER_INPUT', requestId: response.headers.get('x-request-id') },
          },
        ],
      });
    },
  );

  it('responds in JSON for an unknown path', async () => {
    const response = await fetch(`${gateway.url}/nothing`);

    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
  });
});
