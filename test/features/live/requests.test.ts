import { buildSchema, type GraphQLField } from 'graphql';
import { describe, expect, it } from 'vitest';

import { writeFolder } from '../../support/folder.ts';
import { postGraphql, shareGateway, startGateway } from '../../support/gateway.ts';
import { writeDialect } from '../../support/write-dialect.ts';
import { EVENTS, startBoard, subscribe } from './support.ts';

const gateway = shareGateway({ TYPED_FORMS: 'supplier,purchase-request' });

const LIST = '{ instances(formId: "supplier") { totalCount } }';

describe('the variable of @every', () => {
  const every = `subscription ($seconds: Int = 20) @every(seconds: $seconds) ${LIST}`;

  it('may be left to its default', async () => {
    const stream = await subscribe(gateway.url, every);
    expect((await stream.next()).data.instances.totalCount).toBeGreaterThan(0);
  });

  it('that is null is refused with 400', async () => {
    const { status, ended } = await subscribe(gateway.url, every, { variables: { seconds: null } });
    expect(status).toBe(400);
    expect(JSON.parse(await ended).errors[0]).toMatchObject({
      message: expect.stringContaining('@every'),
      extensions: { code: 'BAD_USER_INPUT' },
    });
  });
});

it.each([
  ['does not parse', 'subscription { instances('],
  ['names none of several operations', `subscription A ${LIST} subscription B ${LIST}`],
])('a client of streams alone reads 400 and JSON where its document %s', async (_what, query) => {
  const { status, headers, ended } = await subscribe(gateway.url, query);
  expect(status).toBe(400);
  expect(headers['content-type']).toMatch(/json/);
  expect(JSON.parse(await ended).errors[0].extensions.code).toBe('BAD_USER_INPUT');
});

describe('a condition of a subscription’s field', () => {
  const field = 'instances(formId: "supplier")';
  const conditional = `subscription Board($isOff: Boolean = false) { ${field} @skip(if: $isOff) { totalCount } }`;

  it.each([
    ['is a variable', conditional, 'Board'],
    [
      'is in an operation that does not run',
      `query Form { form(id: "supplier") { id } } ${conditional}`,
      'Form',
    ],
    ['leaves the field out', `subscription { ${field} @skip(if: true) { totalCount } }`],
    [
      'stands around the field',
      `subscription { ... @include(if: false) { ${field} { totalCount } } }`,
    ],
    [
      'stands in a fragment',
      `subscription { ...Root } fragment Root on Subscription { ${field} @skip(if: true) { totalCount } }`,
    ],
  ])('is refused by 400 where it %s', async (_what, query, operationName?: string) => {
    const accept = `${EVENTS}, application/json`;
    const answer = await postGraphql(gateway.url, { query, operationName }, { accept });
    expect(answer).toMatchObject({
      status: 400,
      errors: [
        { message: expect.stringContaining('@skip'), extensions: { code: 'BAD_USER_INPUT' } },
      ],
    });
  });

  it('below it is like that of a query', async () => {
    const query = `subscription { ${field} { totalCount nodes @skip(if: true) { id } } }`;
    const { data } = await (await subscribe(gateway.url, query)).next();
    expect(Object.keys(data.instances)).toEqual(['totalCount']);
  });
});

describe('the explanation of a subscription', () => {
  const explain = async (url: string, query: string, mode = 'plan') => {
    const headers = { 'x-caseway-explain': mode };
    const answer = await subscribe(url, query, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/json/);
    return JSON.parse(await answer.ended).extensions;
  };

  it('is JSON with the calls of one result, also for a client that accepts streams alone', async () => {
    expect(await explain(gateway.url, `subscription ${LIST}`, '1')).toMatchObject({
      upstream: { calls: 1 },
    });
  });

  it('has the planned calls for the first result, and for the minute after it', async () => {
    const { plan } = await explain(
      gateway.url,
      `subscription @every(seconds: 10) {
        instances(formId: "purchase-request", first: 5) { nodes { form { name } reference(field: "supplier") { id } } }
      }`,
    );
    // The list six times, its references a quarter as often, and the form not again.
    expect(plan.calls).toMatchObject({ most: 3, perMinute: 8 });
    expect(plan.summary).toBe(
      '3 calls, then at most 8 a minute besides changes through the gateway',
    );
  });

  it('plans at most a quarter of the call budget', async () => {
    const { url } = await startGateway({ UPSTREAM_CALLS_PER_MINUTE: '28' });
    const { plan } = await explain(url, `subscription ${LIST}`);
    expect(plan.calls.perMinute).toBe(7);
    expect(plan.summary).toContain('1 call, then at most 7 a minute');
  });
});

it.each([
  ['off', 200],
  ['log', 200],
  ['enforce', 403],
])(
  'trusted documents may be subscriptions, by id or text, with DOCUMENTS_MODE=%s, and others get %i',
  async (DOCUMENTS_MODE, status) => {
    const document = `subscription Suppliers ${LIST}`;
    const DOCUMENTS = writeFolder({ 'pages/suppliers.graphql': document });
    const { url } = await startGateway({ DOCUMENTS, DOCUMENTS_MODE });

    for (const query of [{ documentId: 'pages/suppliers' }, document]) {
      const { data } = await (await subscribe(url, query)).next();
      expect(data.instances.totalCount).toBeGreaterThan(0);
    }
    const other = await subscribe(url, document.replace('supplier', 'expense'));
    expect(other.status).toBe(status);
    if (status === 403) expect(await other.ended).toContain('DOCUMENT_NOT_TRUSTED');
  },
);

it('a subscription that reads too much is refused with the number of its resources and the limit', async () => {
  const UPSTREAM_DIALECT = writeDialect({ search: { operators: { IN: null } } });
  const { url, board } = await startBoard((idInstance) => ({ body: { idInstance, values: {} } }), {
    UPSTREAM_DIALECT,
  });
  board.rows = 12;

  const query =
    'subscription { instances(formId: "a", first: 12) { nodes { reference(field: "each") { id } } } }';
  const { status, ended } = await subscribe(url, query);

  expect(status).toBe(400);
  expect(JSON.parse(await ended).errors[0]).toMatchObject({
    message: 'This reads 13 resources of the platform, and at most 10 can be watched.',
    extensions: { code: 'COST_EXCEEDED' },
  });
});

describe('the type Subscription', () => {
  const readSchema = async (url: string) =>
    buildSchema(await (await fetch(`${url}/schema.graphql`)).text());

  it('has the fields of Query that read instances, with the same arguments and types', async () => {
    const schema = await readSchema(gateway.url);
    const fields = schema.getSubscriptionType()?.getFields() ?? {};
    const queries = schema.getQueryType()?.getFields() ?? {};

    expect(Object.keys(fields).sort().join(' ')).toBe(
      'instance instances purchaseRequest purchaseRequestCounts purchaseRequests supplier supplierCounts suppliers',
    );
    const print = ({ type, args }: GraphQLField<unknown, unknown>) =>
      [...args.map((arg) => `${arg.name}: ${arg.type}`), type].join();
    for (const [name, field] of Object.entries(fields)) {
      const query = queries[name];
      expect(print(field)).toBe(query && print(query));
    }
    expect(schema.getDirective('every')?.locations).toEqual(['SUBSCRIPTION']);
  });

  it('is absent with LIVE_INTERVAL_MS=0, and a subscription is refused as an invalid query is', async () => {
    const { url } = await startGateway({ LIVE_INTERVAL_MS: '0' });
    expect((await readSchema(url)).getSubscriptionType()).toBeUndefined();
    expect((await subscribe(url, `subscription ${LIST}`)).status).toBe(400);
  });
});
