import { describe, expect, it } from 'vitest';

import {
  postGraphql,
  shareGateway,
  startCountedGateway,
  startGateway,
} from '../support/gateway.ts';
import { planOf } from '../support/plan.ts';

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
const explain = (
  url: string,
  header: string,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
) => postGraphql(url, { query, variables }, { 'x-caseway-explain': header });

const callsOf = (calls: readonly string[]) => calls.filter((operation) => operation !== 'getToken');

describe('an explained response', () => {
  it('lists the calls made and saved beside the usual data', async () => {
    const { url, execute } = await startCountedGateway();
    const upstream = { left: 118, calls: 2, coalesced: 0, notModified: 0, fresh: 0, stale: 0 };

    const { data, extensions } = await explain(url, '1', QUERY);

    expect(extensions).toEqual({
      upstream: { ...upstream, operations: { getFormIntances: 1, getForm: 1 } },
    });
    expect(await execute(QUERY)).toEqual({ status: 200, data });
  });

  it('lists cached and revalidated reads', async () => {
    const { url, calls } = await startCountedGateway({}, { now: () => 1_800_000_000_000 });
    await explain(url, '1', QUERY);
    calls.length = 0;

    const { extensions } = await explain(url, '1', QUERY);

    expect(extensions?.['upstream']).toMatchObject({
      calls: 1,
      fresh: 1,
      operations: { getFormIntances: 1 },
    });
    expect(callsOf(calls)).toHaveLength(1);
  });

  it('lists no calls without a session, and while the platform cannot be reached', async () => {
    const down = {
      UPSTREAM_URL: 'http://127.0.0.1:9',
      UPSTREAM_USERNAME: 'u',
      UPSTREAM_PASSWORD: 'p',
    };
    const anonymous = await startGateway({ IDENTITY: 'user' });
    const unreachable = await startGateway(down);

    const [one, other] = [
      await explain(anonymous.url, '1', QUERY),
      await explain(unreachable.url, '1', QUERY),
    ];

    expect(one.errors?.[0]?.extensions['code']).toBe('UNAUTHENTICATED');
    expect(one.extensions?.['upstream']).toMatchObject({ calls: 0, operations: {} });
    expect(other.errors?.[0]?.extensions['code']).toBe('UPSTREAM_UNAVAILABLE');
    expect(other.extensions?.['upstream']).toMatchObject({ calls: 0, operations: {} });
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
    const plan = await planOf(url, DEAR);
    expect(plan?.calls.most).toBeGreaterThan(plan?.calls.allowed);
    expect(await execute(DEAR)).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'COST_EXCEEDED' } }],
    });
    expect(calls).toEqual([]);
  });

  it('plan is rejected for an invalid document or invalid variables', async () => {
    const { url } = gateway;

    expect(await explain(url, 'plan', '{ nothing }')).toMatchObject({ status: 400, errors: [{}] });
    expect(await explain(url, 'plan', CREATE, { name: 1 })).toMatchObject({
      status: 400,
      errors: [{}],
    });
  });

  it.each(['0', 'true', 'Plan', 'plan, 1', ''])(
    'of another value does not run the operation: %j',
    async (header) => {
      expect(await explain(gateway.url, header, CREATE, { name: 'A' })).toMatchObject({
        status: 400,
        errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
      });
      expect(gateway.calls).toEqual([]);
    },
  );

  it.each(['1', 'plan'])(
    'is rejected and does not run in production by default: %s',
    async (header) => {
      const production = { NODE_ENV: 'production', CALLER_AUTH: 'none' };
      const silent = await startCountedGateway(production);
      const open = await startCountedGateway({ ...production, PLAYGROUND: 'on' });

      expect(await explain(silent.url, header, CREATE, { name: 'A' })).toMatchObject({
        status: 403,
        errors: [{ extensions: { code: 'FORBIDDEN' } }],
      });
      expect(silent.calls).toEqual([]);
      expect(await explain(open.url, header, QUERY)).toHaveProperty('extensions');
    },
  );
});
