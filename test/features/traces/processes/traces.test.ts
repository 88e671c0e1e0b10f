import { describe, expect, it } from 'vitest';

import { writeFolder } from '../../../support/folder.ts';
import { type Env, type GraphqlAnswer, postBody, postGraphql } from '../../../support/gateway.ts';
import { startOtlpReceiver } from '../../../support/otlp-receiver.ts';
import { runMain } from '../../../support/run.ts';
import {
  type ScriptedAnswer,
  type SeenRequest,
  scriptPlatform,
} from '../../../support/scripted-platform.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';
const SAMPLED = `00-${TRACE_ID}-${PARENT_ID}-01`;
const NOT_SAMPLED = `00-${TRACE_ID}-${PARENT_ID}-00`;

const FORM = { name: 'Supplier', fields: [] };
const queryOf = (formId: string) => `query Suppliers { form(formId: "${formId}") { name } }`;

type Headers = Readonly<Record<string, string>>;

/**
 * Starts a receiver of traces and, as a process, a gateway in front of a platform with these
 * responses. `end` resolves to the gateway's log.
 */
async function startTraced(
  env: Env = {},
  answer: (request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer> = () => ({
    body: FORM,
  }),
) {
  const receiver = await startOtlpReceiver();
  const platform = await scriptPlatform(answer);
  const run = runMain([], {
    PORT: '0',
    TYPED_FORMS: 'none',
    LOG_LEVEL: 'info',
    ...platform.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    ...env,
  });
  const url = await run.printed(/GraphQL at (http:\S+)\/graphql/);
  const execute = async (query: string, headers: Headers = {}, variables: object = {}) => {
    const response = await postBody(url, { query, variables }, headers);
    const requestId = response.headers.get('x-request-id');
    return { requestId, ...((await response.json()) as GraphqlAnswer) };
  };
  const end = async () => {
    run.stop();
    const { code, stdout } = await run.ended;
    const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
    return { code, lines: lines.map((line) => JSON.parse(line)) };
  };
  return { ...platform, receiver, url, execute, end };
}

describe('traces', () => {
  it('have a span for a request and one for each of its calls, exported at shutdown at the latest', async () => {
    const service = await scriptPlatform(() => ({ body: { rate: 2 } }));
    const rates = `
      export default {
        typeDefs: 'extend type Query { rate: Int }',
        resolvers: {
          Query: {
            rate: { calls: 1, resolve: async (_source, _args, { fetch }) => (await (await fetch('${service.env.UPSTREAM_URL}/canary', { headers: { 'x-api-key': 'canary' } })).json()).rate },
          },
        },
      };`;
    const env = { OTEL_SERVICE_NAME: 'edge', EXTENSIONS: writeFolder({ 'rates.js': rates }) };
    const { receiver, execute, end, seen, ...platform } = await startTraced(env);

    const { requestId } = await execute(queryOf('a'));
    await execute(queryOf('b'), { traceparent: SAMPLED, tracestate: 'vendor=1' });
    await execute('{ rate }');
    const { code } = await end();

    expect(code).toBe(0);
    const [request, continued, extended] = receiver.spans().filter(({ kind }) => kind === 'server');
    expect(request).toMatchObject({
      name: 'query',
      parentSpanId: undefined,
      isError: false,
      attributes: {
        'graphql.operation.type': 'query',
        'graphql.operation.name': 'Suppliers',
        'http.request.method': 'POST',
        'http.route': '/graphql',
        'http.response.status_code': 200,
        'caseway.request.id': requestId,
        'caseway.outcome': 'ok',
        'caseway.platform.calls': 1,
      },
      resource: {
        'service.name': 'edge',
        'service.version': '0.1.0',
        'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
    const { hostname, port } = new URL(platform.env.UPSTREAM_URL);
    const [call, next] = receiver.spans().filter(({ name }) => name === 'getForm');
    expect(call).toMatchObject({
      kind: 'client',
      traceId: request?.traceId,
      parentSpanId: request?.spanId,
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'server.address': hostname,
        'server.port': Number(port),
      },
    });
    // The client's trace goes on, to the platform as well.
    expect([continued, next]).toMatchObject([
      { traceId: TRACE_ID, parentSpanId: PARENT_ID },
      { traceId: TRACE_ID },
    ]);
    expect(seen[1]?.headers).toMatchObject({
      traceparent: `00-${TRACE_ID}-${next?.spanId}-01`,
      tracestate: 'vendor=1',
    });
    // So it does to the service of an extension.
    const ofService = receiver.spans().find(({ name }) => name === 'rates.js');
    expect(ofService).toMatchObject({
      traceId: extended?.traceId,
      parentSpanId: extended?.spanId,
      attributes: { 'http.response.status_code': 200 },
    });
    expect(service.seen[0]?.headers['traceparent']).toBe(
      `00-${ofService?.traceId}-${ofService?.spanId}-01`,
    );
    expect(receiver.requests.map(({ body }) => String(body)).join()).not.toContain('canary');
  });

  it('show conditional calls, retries and failures', async () => {
    let refusals = 0;
    const { receiver, execute, end } = await startTraced(
      { CACHE_DEFINITIONS_MS: '0' },
      (request) => {
        if (request.url.includes('broken')) return { status: 500, body: {} };
        if (request.headers['if-modified-since']) return { status: 304, body: '' };
        refusals++;
        if (refusals === 1) return { status: 401, body: {} };
        return { headers: { 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' }, body: FORM };
      },
    );

    await execute(queryOf('supplier'));
    await execute(queryOf('supplier'));
    await execute(queryOf('broken'));
    await end();

    const calls = receiver
      .spans()
      .filter(({ name }) => name === 'getForm')
      .map(({ attributes, isError }) => ({
        status: attributes['http.response.status_code'],
        resends: attributes['http.request.resend_count'],
        error: isError ? attributes['error.type'] : undefined,
      }));
    expect(calls).toEqual([
      { status: 401, resends: undefined, error: '401' },
      { status: 200, resends: 1, error: undefined },
      { status: 304, resends: undefined, error: undefined },
      { status: 500, resends: undefined, error: '500' },
      { status: 500, resends: 1, error: '500' },
    ]);
    expect(receiver.spans().findLast(({ kind }) => kind === 'server')).toMatchObject({
      isError: true,
      attributes: { 'error.type': 'UPSTREAM_ERROR', 'caseway.outcome': 'failed' },
    });
  });

  it('of a client that leaves are complete, and cause no warning', async () => {
    const asked = Promise.withResolvers<void>();
    const { receiver, url, end } = await startTraced({}, () => {
      asked.resolve();
      return new Promise<ScriptedAnswer>(() => {});
    });
    const client = new AbortController();
    const left = fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: queryOf('a') }),
      signal: client.signal,
    }).catch(() => 'left');

    await asked.promise;
    client.abort();
    await left;
    const { lines } = await end();

    const span = receiver.spans().find(({ kind }) => kind === 'server');
    expect(span).toMatchObject({
      name: 'query',
      isError: true,
      attributes: { 'error.type': 'CANCELLED', 'caseway.platform.calls': 1 },
    });
    expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
  });

  it('are named in log lines and errors, and not recorded where the client’s is not, which is passed on', async () => {
    const { receiver, execute, url, end, seen } = await startTraced({}, () => ({
      status: 403,
      body: {},
    }));

    const { errors, requestId } = await execute(queryOf('a'), { traceparent: NOT_SAMPLED });
    const unreadable = await postGraphql(url, '{');
    const { lines } = await end();

    expect(errors?.[0]?.extensions).toMatchObject({ requestId, traceId: TRACE_ID });
    expect(unreadable.errors?.[0]?.extensions['traceId']).toMatch(/^[0-9a-f]{32}$/);
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'operation', requestId, traceId: TRACE_ID }),
    );
    expect(receiver.spans().filter(({ traceId }) => traceId === TRACE_ID)).toEqual([]);
    expect(seen[0]?.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-00$`));
  });

  it.each(['http/json', 'http/protobuf'])(
    'contain the caller’s name, and no value, token, key or personal name, with %s',
    async (protocol) => {
      const { receiver, execute, end } = await startTraced(
        {
          OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
          UPSTREAM_USERNAME: 'canary-user',
          UPSTREAM_PASSWORD: 'canary-password',
          CALLER_AUTH: 'key',
          // Of the key "canary-key".
          CALLER_KEYS: 'shop:0b8bdfd5fe8e2887553f64e360259947f07d61acd45d51b4a74a53008e5a9597',
        },
        ({ url }) =>
          url.includes('refused')
            ? { status: 400, body: { message: 'canary-reason' } }
            : { body: FORM },
      );

      await execute(
        'query Named($id: ID!) { form(formId: $id) { name } }',
        { 'x-api-key': 'canary-key' },
        { id: 'canary-id' },
      );
      await execute('{ form(formId: "canary-literal") { name } }', {
        'x-api-key': 'canary-key',
        authorization: 'Bearer canary-token',
        cookie: 'session=canary-cookie',
        baggage: 'user=canary-baggage',
        'user-agent': 'canary-agent',
        'apollographql-client-name': 'canary-client',
      });
      await end();

      const sent = receiver.requests.map(({ body }) => body.toString('latin1')).join();
      expect(receiver.requests.every(({ path }) => path === '/v1/traces')).toBe(true);
      expect(sent).toContain('getForm');
      expect(sent).toContain('shop');
      expect(sent).not.toContain('canary');
    },
  );

  it.each([
    ['is gone', async () => 'http://127.0.0.1:1'],
    ['does not answer', async () => (await startOtlpReceiver({ isSilent: true })).url],
  ])('delay no request and cause one warning while their receiver %s', async (_what, start) => {
    const { execute, end } = await startTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: await start(),
      OTEL_BSP_SCHEDULE_DELAY: '20',
    });
    let longestMs = 0;

    for (let count = 0; count < 20; count++) {
      const sentAtMs = performance.now();
      expect((await execute(queryOf('supplier'))).data).toEqual({ form: { name: 'Supplier' } });
      longestMs = Math.max(longestMs, performance.now() - sentAtMs);
    }
    const stoppedAtMs = performance.now();
    const { code, lines } = await end();

    // The timeout of an export.
    expect(longestMs).toBeLessThan(3_000);
    expect(lines.filter(({ msg }) => msg === 'traces cannot be sent; spans are lost')).toHaveLength(
      1,
    );
    expect(code).toBe(0);
    expect(performance.now() - stoppedAtMs).toBeLessThan(15_000);
  });

  it('name invalid variables in the log, without their values', async () => {
    const { end } = await startTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'canary:password@host',
      OTEL_TRACES_SAMPLER: 'canary-sampler',
    });

    const { lines } = await end();

    const reasons = lines
      .filter(({ msg }) => msg.startsWith('OpenTelemetry'))
      .map(({ reason }) => reason);
    expect(reasons.join()).toContain('OTEL_TRACES_SAMPLER value …');
    expect(JSON.stringify(lines)).not.toContain('canary');
  });
});
