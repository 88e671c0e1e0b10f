import { describe, expect, it } from 'vitest';

import {
  type Env,
  postGraphql,
  shareGateway,
  startCountedGateway,
  startGateway,
} from '../support/gateway.ts';

const QUERY =
  'query Suppliers { instances(formId: "supplier", first: 5) { nodes { values form { name } } } }';
const CREATE = `mutation Create($name: String!) {
  createInstance(input: { formId: "supplier", values: { name: $name, country: "DE", active: true } }) {
    instance { id values form { name } }
  }
}`;
const DEAR =
  '{ forms(first: 100) { nodes { instances { nodes { reference(field: "a") { id } } } } } }';

/** Asks by POST with the header. */
const explain = (url: string, header: string, query: string, variables: object = {}) =>
  postGraphql(url, { query, variables }, { 'x-caseway-explain': header });

describe('an explained response', () => {
  it('lists the calls made, cached and revalidated reads beside the usual data', async () => {
    const { url, execute, calls } = await startCountedGateway({}, { now: () => 1_800_000_000_000 });
    const none = { coalesced: 0, notModified: 0, fresh: 0, stale: 0 };

    const first = await explain(url, '1', QUERY);
    calls.length = 0;
    const second = await explain(url, '1', QUERY);

    const operations = { getFormIntances: 1, getForm: 1 };
    expect(first.extensions).toEqual({ upstream: { ...none, left: 118, calls: 2, operations } });
    expect(second.extensions).toMatchObject({
      upstream: { calls: 1, fresh: 1, operations: { getFormIntances: 1 } },
    });
    expect(calls).toEqual(['getFormIntances']);
    expect(await execute(QUERY)).toEqual({ status: 200, data: first.data });
  });

  const DOWN = {
    UPSTREAM_URL: 'http://127.0.0.1:9',
    UPSTREAM_USERNAME: 'u',
    UPSTREAM_PASSWORD: 'p',
  };
  it.each<[code: string, env: Env]>([
    ['UNAUTHENTICATED', { IDENTITY: 'user' }],
    ['UPSTREAM_UNAVAILABLE', DOWN],
  ])('lists no calls if the request fails with %s', async (code, env) => {
    const { url } = await startGateway(env);

    expect(await explain(url, '1', QUERY)).toMatchObject({
      errors: [{ extensions: { code } }],
      extensions: { upstream: { calls: 0, operations: {} } },
    });
  });
});

describe('the header x-caseway-explain', () => {
  const gateway = shareGateway();

  it.each(['1', 'plan'])('makes the answer uncacheable: %s', async (header) => {
    const { headers } = await fetch(`${gateway.url}/graphql?query=${encodeURIComponent(QUERY)}`, {
      headers: { 'x-caseway-explain': header },
    });

    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('etag')).toBeNull();
  });

  it('plan lists the calls that a query would make, also beyond the cost limit, and makes none', async () => {
    const { url, calls, execute } = gateway;

    expect(await explain(url, 'plan', QUERY)).toEqual({
      status: 200,
      data: null,
      extensions: {
        plan: {
          operation: 'Suppliers',
          kind: 'query',
          calls: { most: 2, allowed: 120 },
          fields: { most: expect.any(Number), allowed: 20_000 },
          steps: [
            { field: 'instances', operation: 'getFormIntances', calls: 1, objects: 1 },
            { field: 'instances.nodes.form', operation: 'getForm', calls: 1, objects: 5 },
          ],
        },
      },
    });
    const { extensions } = await explain(url, 'plan', DEAR);
    expect(extensions?.['plan'].calls.most).toBeGreaterThan(120);
    expect(await execute(DEAR)).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'COST_EXCEEDED' } }],
    });
    expect(calls).toEqual([]);
  });

  it.each<[what: string, header: string, query: string, variables: object]>([
    ['an invalid document', 'plan', '{ nothing }', {}],
    ['invalid variables', 'plan', CREATE, { name: 1 }],
    ['another value', '0', CREATE, { name: 'A' }],
    ['another value', 'Plan', CREATE, { name: 'A' }],
    ['another value', 'plan, 1', CREATE, { name: 'A' }],
    ['another value', '', CREATE, { name: 'A' }],
  ])('does not run the operation with %s: %j', async (_what, header, query, variables) => {
    expect(await explain(gateway.url, header, query, variables)).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    expect(gateway.calls).toEqual([]);
  });
});

describe('in production the header x-caseway-explain', () => {
  const production = { NODE_ENV: 'production', CALLER_AUTH: 'none' };
  const silent = shareGateway(production);
  const open = shareGateway({ ...production, PLAYGROUND: 'on' });

  it.each(['1', 'plan'])('is rejected and does not run by default: %s', async (header) => {
    expect(await explain(silent.url, header, CREATE, { name: 'A' })).toMatchObject({
      status: 403,
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
    expect(silent.calls).toEqual([]);
    expect(await explain(open.url, header, QUERY)).toHaveProperty('extensions');
  });
});
