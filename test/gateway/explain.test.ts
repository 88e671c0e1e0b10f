import { assert, asyncProperty, constantFrom, oneof, pre } from 'fast-check';
import { describe, expect, it } from 'vitest';

import { randomQuery } from '../graphql/support/random-operation.ts';
import { executeAs } from '../identity/support.ts';
import { startCountedGateway, startGateway } from '../support/gateway.ts';
import { writeDialect } from '../support/write-dialect.ts';

const QUERY = 'query Suppliers { instances(formId: "supplier", first: 5) { nodes { values form { name } } } }';
const CREATE = `mutation Create($name: String!) {
  createInstance(input: { formId: "supplier", values: { name: $name, country: "DE", active: true } }) {
    instance { id values form { name } }
  }
}`;
const DEAR = '{ forms(first: 100) { nodes { instances { nodes { reference(field: "a") { id } } } } } }';
const UNBOUNDED = { COST_MAX_CALLS: '1000000' };

/** Asks by POST with the header. */
async function explain(url: string, header: string, query: string, variables?: Readonly<Record<string, unknown>>) {
  const { status, data, errors, extensions } = await executeAs(url, query, { 'x-caseway-explain': header }, variables);
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape of the response.
  return { status, data, errors, extensions } as any;
}

const callsOf = (calls: readonly string[]) => calls.filter((operation) => operation !== 'getToken');

describe('an explained response', () => {
  it('lists the calls made and saved beside the usual data', async () => {
    const { url, execute } = await startCountedGateway();
    const upstream = { left: 118, calls: 2, coalesced: 0, notModified: 0, fresh: 0, stale: 0 };

    const { data, extensions } = await explain(url, '1', QUERY);

    expect(extensions).toEqual({ upstream: { ...upstream, operations: { getFormIntances: 1, getForm: 1 } } });
    expect(await execute(QUERY)).toEqual({ status: 200, data });
  });

  it('lists cached and revalidated reads', async () => {
    const { url, calls } = await startCountedGateway({}, { now: () => 1_800_000_000_000 });
    await explain(url, '1', QUERY);
    calls.length = 0;

    const { extensions } = await explain(url, '1', QUERY);

    expect(extensions.upstream).toMatchObject({ calls: 1, fresh: 1, operations: { getFormIntances: 1 } });
    expect(callsOf(calls)).toHaveLength(1);
  });

  it('lists no calls where none was sent: without a session, and while the platform cannot be reached', async () => {
    const down = { UPSTREAM_URL: 'http://127.0.0.1:9', UPSTREAM_USERNAME: 'u', UPSTREAM_PASSWORD: 'p' };
    const anonymous = await startGateway({ IDENTITY: 'user' });
    const unreachable = await startGateway(down);

    const [one, other] = [await explain(anonymous.url, '1', QUERY), await explain(unreachable.url, '1', QUERY)];

    expect(one.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect(one.extensions.upstream).toMatchObject({ calls: 0, operations: {} });
    expect(other.errors[0].extensions.code).toBe('UPSTREAM_UNAVAILABLE');
    expect(other.extensions.upstream).toMatchObject({ calls: 0, operations: {} });
  });

  it.each(['1', 'plan'])('is not cacheable with x-caseway-explain: %s', async (header) => {
    const { url } = await startCountedGateway();

    const { headers } = await fetch(`${url}/graphql?query=${encodeURIComponent(QUERY)}`, {
      headers: { 'x-caseway-explain': header },
    });

    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('etag')).toBeNull();
  });
});

describe('a plan', () => {
  it('lists the calls that a query would make, and makes none', async () => {
    const { url, calls } = await startCountedGateway();

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
    expect(calls).toEqual([]);
  });

  it('reports an operation that would exceed the cost limit', async () => {
    const { url, calls, execute } = await startCountedGateway();

    const { extensions } = await explain(url, 'plan', DEAR);

    expect(extensions.plan.calls.most).toBeGreaterThan(extensions.plan.calls.allowed);
    expect(await execute(DEAR)).toMatchObject({ status: 400, errors: [{ extensions: { code: 'COST_EXCEEDED' } }] });
    expect(calls).toEqual([]);
  });

  it('is rejected for an invalid document or invalid variables', async () => {
    const { url } = await startCountedGateway();

    expect(await explain(url, 'plan', '{ nothing }')).toMatchObject({ status: 400, errors: [{}] });
    expect(await explain(url, 'plan', CREATE, { name: 1 })).toMatchObject({ status: 400, errors: [{}] });
  });

  it.each([
    ['by lists of ids', {}],
    ['one by one', { search: { operators: { IN: null } } }],
  ])('never falls short of an actual run that reads %s', { timeout: 60_000 }, async (_how, dialect) => {
    const env = { ...UNBOUNDED, UPSTREAM_DIALECT: writeDialect(dialect) };
    const { url, calls } = await startCountedGateway(env, { requestLimit: 0 });
    const change = constantFrom('{ id }', '{ id values }', '{ values can { update } form { name } }').map((fields) =>
      CREATE.replace('{ id values form { name } }', fields),
    );

    await assert(
      asyncProperty(oneof({ weight: 5, arbitrary: randomQuery }, { weight: 1, arbitrary: change }), async (query) => {
        const variables = query.startsWith('mutation') ? { name: 'A' } : undefined;
        calls.length = 0;
        const planned = await explain(url, 'plan', query, variables);
        // A random query may be beyond the limits.
        const plan = planned.extensions?.plan;
        pre(plan !== undefined && plan.fields.most <= plan.fields.allowed);
        const { most } = plan.calls;
        expect(calls).toEqual([]);

        const { extensions, errors } = await explain(url, '1', query, variables);

        const { upstream } = extensions;
        const made = callsOf(calls).length;
        // A call of what failed may not have been answered yet.
        expect(errors === undefined ? upstream.calls : made).toBe(made);
        expect(upstream.calls).toBeGreaterThanOrEqual(made);
        expect(upstream.calls).toBeLessThanOrEqual(most);
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });
});

describe('an operation that cannot be explained', () => {
  it.each(['0', 'true', 'Plan', 'plan, 1', ''])('does not run either: %j', async (header) => {
    const { url, calls } = await startCountedGateway();

    expect(await explain(url, header, CREATE, { name: 'A' })).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    expect(calls).toEqual([]);
  });

  it.each(['1', 'plan'])('is rejected and does not run in production by default: %s', async (header) => {
    const production = { NODE_ENV: 'production', CALLER_AUTH: 'none' };
    const silent = await startCountedGateway(production);
    const open = await startCountedGateway({ ...production, PLAYGROUND: 'on' });

    expect(await explain(silent.url, header, CREATE, { name: 'A' })).toMatchObject({
      status: 403,
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
    expect(silent.calls).toEqual([]);
    expect(await explain(open.url, header, QUERY)).toHaveProperty('extensions');
  });
});
