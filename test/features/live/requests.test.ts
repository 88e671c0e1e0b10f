import { afterAll, describe, expect, it } from 'vitest';

import { postGraphql, startGateway } from '../../support/gateway.ts';
import { EVENTS, subscribe } from './support.ts';

const { url, close } = await startGateway();
afterAll(close);

const LIST = '{ instances(formId: "supplier") { totalCount } }';

describe('the variable of @every', () => {
  const every = `subscription ($seconds: Int = 20) @every(seconds: $seconds) ${LIST}`;

  it('may be left to its default', async () => {
    const stream = await subscribe(url, every);
    expect((await stream.next()).data.instances.totalCount).toBeGreaterThan(0);
  });

  it('that is null is refused with 400', async () => {
    const { status, ended } = await subscribe(url, every, { variables: { seconds: null } });
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
  const { status, headers, ended } = await subscribe(url, query);
  expect(status).toBe(400);
  expect(headers['content-type']).toMatch(/json/);
  expect(JSON.parse(await ended).errors[0].extensions.code).toBe('BAD_USER_INPUT');
});

describe('a condition of a subscription’s field', () => {
  const conditional =
    'subscription Board($isOff: Boolean = false) { instances(formId: "supplier") @skip(if: $isOff) { totalCount } }';
  const field = 'instances(formId: "supplier")';

  it.each([
    ['is refused by 400 where it is a variable', conditional, 'Board'],
    [
      'that does not run is refused as well',
      `query Form { form(id: "supplier") { id } } ${conditional}`,
      'Form',
    ],
    [
      'is refused where it leaves the field out',
      `subscription { ${field} @skip(if: true) { totalCount } }`,
    ],
    [
      'is refused around the field',
      `subscription { ... @include(if: false) { ${field} { totalCount } } }`,
    ],
    [
      'is refused in a fragment',
      `subscription { ...Root } fragment Root on Subscription { ${field} @skip(if: true) { totalCount } }`,
    ],
  ])('%s', async (_what, query, operationName?: string) => {
    const accept = `${EVENTS}, application/json`;
    const { status, errors } = await postGraphql(url, { query, operationName }, { accept });
    expect({ status, errors }).toMatchObject({
      status: 400,
      errors: [
        { message: expect.stringContaining('@skip'), extensions: { code: 'BAD_USER_INPUT' } },
      ],
    });
  });

  it('below it is like that of a query', async () => {
    const stream = await subscribe(
      url,
      `subscription { ${field} { totalCount nodes @skip(if: true) { id } } }`,
    );
    expect(Object.keys((await stream.next()).data.instances)).toEqual(['totalCount']);
  });
});

it.each(['1', 'plan'])(
  'explain of a subscription is answered once, as JSON, by a client that accepts streams alone: %s',
  async (explain) => {
    const asked = { headers: { 'x-caseway-explain': explain } };
    const { status, headers, ended } = await subscribe(url, `subscription ${LIST}`, asked);
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/json/);
    const { extensions } = JSON.parse(await ended);
    expect(extensions).toMatchObject(
      explain === 'plan' ? { plan: { calls: { most: 1 } } } : { upstream: { calls: 1 } },
    );
  },
);

describe('the plan of a subscription', () => {
  const planAt = async (address: string, query: string) => {
    const headers = { 'x-caseway-explain': 'plan' };
    const { ended } = await subscribe(address, query, { accept: 'application/json', headers });
    return JSON.parse(await ended).extensions.plan;
  };

  it('has the number of calls for the first result, and for the minute after it', async () => {
    const { calls, summary } = await planAt(
      url,
      `subscription @every(seconds: 10) {
        instances(formId: "purchase-request", first: 5) { nodes { form { name } reference(field: "supplier") { id } } }
      }`,
    );
    // The list six times, its references a quarter as often, and the form not again.
    expect(calls).toMatchObject({ most: 3, perMinute: 8 });
    expect(summary).toBe('3 calls, then at most 8 a minute besides changes through the gateway');
  });

  it('has at most a quarter of the call budget', async () => {
    const limited = await startGateway({ UPSTREAM_CALLS_PER_MINUTE: '28' });
    const { calls, summary } = await planAt(limited.url, `subscription ${LIST}`);
    expect(calls.perMinute).toBe(7);
    expect(summary).toBe('1 call, then at most 7 a minute besides changes through the gateway');
  });
});
