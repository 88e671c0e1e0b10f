import { describe, expect, it } from 'vitest';

import { callerKeys, executeAs, signInAs } from '../../identity/support.ts';
import { writeFolder } from '../../support/folder.ts';
import { type Env, postBody, startCountedGateway } from '../../support/gateway.ts';
import { freePort } from '../../support/redis.ts';

/** Starts a gateway whose figures are read, and whose log has its operations. */
async function startWatched(env: Env = {}) {
  const gateway = await startCountedGateway({ METRICS_PORT: '0', LOG_LEVEL: 'info', ...env });
  return {
    ...gateway,
    read: gateway.metrics,
    execute: (query: string, headers?: Readonly<Record<string, string>>) =>
      executeAs(gateway.url, query, headers),
    /** The figures of a metric, by its name and labels or by the labels alone. */
    async figures(name: string): Promise<Readonly<Record<string, number>>> {
      const all = [...(await gateway.metrics()).matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].filter(
        ([, found]) => found === name,
      );
      return Object.fromEntries(all.map(([, , labels = '', value]) => [labels, Number(value)]));
    },
    operations: () => gateway.logged().filter(({ msg }) => msg === 'operation'),
  };
}

const LIST = `{
  instances(formId: "supplier", first: 1) { nodes { form { name } } }
  rule(component: "approval-level", version: "1.0") { name }
}`;
const SECONDS = '0.002 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf';

describe('the metrics', () => {
  it('count operations, the calls they made and the calls they saved', async () => {
    const { execute, figures } = await startWatched();

    await execute(LIST);
    await execute(LIST);
    await execute('{ instance(formId: "none", instanceId: 1) { values } }');
    await execute('{ nothing }');

    expect(await figures('caseway_operations_total')).toEqual({
      'kind="query",outcome="ok"': 3,
      'kind="none",outcome="failed"': 1,
    });
    expect(await figures('caseway_platform_calls_total')).toEqual({
      'operation="getToken",ended="200"': 1,
      'operation="getFormIntances",ended="200"': 2,
      'operation="getForm",ended="200"': 1,
      'operation="getParameters",ended="200"': 1,
      'operation="getFormIntance",ended="404"': 1,
    });
    expect(await figures('caseway_reads_saved_total')).toEqual({ 'how="fresh"': 2 });
    const buckets = Object.keys(await figures('caseway_operation_seconds_bucket'));
    const bounds = buckets.map((labels) => /le="(.*?)"/.exec(labels)?.[1]);
    expect([...new Set(bounds)].join(' ')).toBe(SECONDS);
    expect(await figures('caseway_operation_seconds_count')).toMatchObject({ 'kind="query"': 3 });
    expect((await figures('caseway_operation_seconds_sum'))['kind="query"']).toBeLessThan(10);
    expect((await figures('caseway_cache_bytes'))['']).toBeGreaterThan(1_000);
  });

  it('count errors by code, rejected requests included, each once per response', async () => {
    const { url, execute, figures } = await startWatched();
    const list = (size: number) => `forms(first: ${size}) { totalCount }`;

    await execute(`{ a: ${list(1_000)} b: ${list(2_000)} }`);
    await execute('{ nothing }');
    await postBody(url, '{}', { 'content-type': 'text/plain' });

    // The first is there from the start, so that one is an increase.
    expect(await figures('caseway_errors_total')).toEqual({
      'code="INTERNAL_SERVER_ERROR"': 0,
      'code="BAD_USER_INPUT"': 3,
    });
  });

  it('contain nothing of requests, callers or users', async () => {
    const { execute, read, origin } = await startWatched();

    await execute('query Canary { instance(formId: "canary", instanceId: "canary") { values } }');
    const text = await read();

    for (const secret of ['anary', 'demo', new URL(origin).host])
      expect(text).not.toContain(secret);
  });

  it('are served at a port of their own, with nothing else, if one is set', async () => {
    const { url, metricsUrl } = await startWatched();

    const addresses = [`${url}/metrics`, String(metricsUrl), `${metricsUrl}/x`];
    const statuses = addresses.map(async (address) => (await fetch(address)).status);

    expect(await Promise.all(statuses)).toEqual([404, 200, 404]);
    expect((await startCountedGateway()).metricsUrl).toBeUndefined();
  });
});

const CALLS = 'caseway_caller_calls_total';
const READ = '{ instance(formId: "expense", instanceId: "1") { instanceId } }';
const CHANGE =
  'mutation { createInstance(input: { formId: "supplier", values: { name: "New", country: "PT", active: true } }) { instance { id } } }';
const KEYED = callerKeys('web', 'nightly');
const as = (key: string) => ({ 'x-api-key': key });

describe('calls to the platform', () => {
  it('are counted and logged by the name of the API key, and the token is the gateway’s own', async () => {
    const { execute, figures, operations } = await startWatched(KEYED);

    await execute(READ, as('web'));
    await execute(CHANGE, as('nightly'));

    expect(await figures(CALLS)).toMatchObject({
      'caller="gateway",kind="token"': 1,
      'caller="web",kind="read"': 1,
      'caller="nightly",kind="write"': 1,
    });
    expect(operations().map(({ caller, subject }) => [caller, subject])).toEqual([
      ['web', undefined],
      ['nightly', undefined],
    ]);
  });

  it('count the sent calls', async () => {
    const UPSTREAM_URL = `http://127.0.0.1:${await freePort()}`;
    const { execute, figures } = await startWatched({ UPSTREAM_URL });

    await execute(READ);

    expect(await figures(CALLS)).toEqual({});
  });

  it('are the first caller’s where several share a read', async () => {
    const { execute, figures } = await startWatched(KEYED);

    await Promise.all(['web', 'nightly', 'web', 'nightly'].map((key) => execute(READ, as(key))));

    const reads = Object.keys(await figures(CALLS)).filter((labels) =>
      labels.includes('kind="read"'),
    );
    expect(reads.length).toBeLessThanOrEqual(2);
    expect(reads.every((labels) => /^caller="(web|nightly)"/.test(labels))).toBe(true);
  });

  it('name no caller where callers are not authenticated, nor where users sign in', async () => {
    const open = await startWatched();
    const signedIn = await startWatched({ IDENTITY: 'user' });

    await open.execute(READ);
    await signedIn.execute(READ, await signInAs(signedIn.url, 'demo'));

    expect(await open.figures(CALLS)).toMatchObject({ 'caller="none",kind="read"': 1 });
    expect(await signedIn.figures(CALLS)).toMatchObject({
      'caller="user",kind="token"': 1,
      'caller="user",kind="read"': 1,
    });
    expect(signedIn.operations().at(-1)).toMatchObject({ caller: 'user', upstreamCalls: 1 });
    expect(signedIn.operations().at(-1)).not.toHaveProperty('subject');
  });

  it('are logged with who made them where LOG_LEVEL is debug', async () => {
    const gateway = await startWatched({ IDENTITY: 'user', LOG_LEVEL: 'debug' });

    await gateway.execute(READ, await signInAs(gateway.url, 'demo'));

    expect(gateway.operations().at(-1)).toMatchObject({
      caller: 'user',
      subject: 'demo',
      upstreamCalls: 1,
    });
  });
});

describe('operations', () => {
  const OPERATIONS = 'caseway_caller_operations_total';

  it('are counted by the name of the API key and by outcome, and no key is in the metrics', async () => {
    const { execute, figures, read } = await startWatched(callerKeys('web', 'nightly'));

    await execute('{ __typename }', as('web'));
    await execute('{ nothing }', as('nightly'));
    await execute('{ __typename }', as('an-unknown-key'));

    expect(await figures(OPERATIONS)).toEqual({
      'caller="web",outcome="ok"': 1,
      'caller="nightly",outcome="failed"': 1,
    });
    expect(await read()).not.toContain('an-unknown-key');
  });

  it('have no token of a caller in the metrics', async () => {
    const { execute, figures, read } = await startWatched({ IDENTITY: 'forward' });
    const authorization = 'Bearer forwarded-canary';

    await execute(READ, { authorization });

    expect(await figures(OPERATIONS)).toEqual({ 'caller="forward",outcome="failed"': 1 });
    expect(await read()).not.toContain('canary');
  });

  it('of callers beyond the first hundred are counted together', async () => {
    const names = Array.from({ length: 102 }, (_, at) => `caller${at}`);
    const { execute, figures } = await startWatched(callerKeys(...names));

    for (const name of names) await execute('{ __typename }', as(name));
    await execute('{ __typename }', as('caller0'));

    const counted = await figures(OPERATIONS);
    expect(Object.keys(counted)).toHaveLength(101);
    expect(counted).toMatchObject({
      'caller="caller0",outcome="ok"': 2,
      'caller="other",outcome="ok"': 2,
    });
  });
});

const CLIENTS = 'caseway_client_operations_total';

const apollo = (name: string, version: string) => ({
  'apollographql-client-name': name,
  'apollographql-client-version': version,
});

describe('clients', () => {
  it('are counted and logged by the name and version that they state', async () => {
    const { execute, figures, operations } = await startWatched();

    await execute('{ __typename }', apollo('@acme/web', '1.4.0'));
    await execute('{ __typename }', apollo('@acme/web', '1.4.0'));
    await execute('{ __typename }', {
      'graphql-client-name': 'phone',
      'graphql-client-version': '7',
    });
    await execute('{ __typename }');

    expect(await figures(CLIENTS)).toEqual({
      'client="@acme/web",version="1.4.0"': 2,
      'client="phone",version="7"': 1,
      'client="none",version="none"': 1,
    });
    expect(operations().map(({ client, clientVersion }) => [client, clientVersion])).toEqual([
      ['@acme/web', '1.4.0'],
      ['@acme/web', '1.4.0'],
      ['phone', '7'],
      [undefined, undefined],
    ]);
  });

  it('have no name where it is too long or has invalid characters', async () => {
    const { execute, figures } = await startWatched();

    await execute('{ __typename }', apollo('x'.repeat(65), '1'));
    await execute('{ __typename }', apollo('web"} 1', '<b>'));

    expect(await figures(CLIENTS)).toEqual({
      'client="none",version="1"': 1,
      'client="none",version="none"': 1,
    });
  });

  it('beyond the first hundred are counted together', async () => {
    const { execute, figures } = await startWatched();

    for (let count = 0; count < 103; count++)
      await execute('{ __typename }', apollo('web', `1.${count}`));
    await execute('{ __typename }', apollo('web', '1.0'));

    const counted = await figures(CLIENTS);
    expect(Object.keys(counted)).toHaveLength(101);
    expect(counted).toMatchObject({
      'client="web",version="1.0"': 2,
      'client="other",version="other"': 3,
    });
  });
});

const DOCUMENT_OPERATIONS = 'caseway_document_operations_total';
const NAMED = 'query Suppliers { __typename }';

describe('operations of trusted documents', () => {
  it('are counted by name and outcome, and other operations have no name there', async () => {
    const DOCUMENTS = writeFolder({
      'suppliers.graphql': NAMED,
      'plain.graphql': '{ __typename }',
    });
    const { url, execute, figures, read } = await startWatched({ DOCUMENTS });

    for (const documentId of ['suppliers', 'suppliers', 'plain']) {
      await postBody(url, { documentId });
    }
    await execute('query Canary { __typename }');

    expect(await figures(DOCUMENT_OPERATIONS)).toEqual({
      'operation="Suppliers",outcome="ok"': 2,
      'operation="none",outcome="ok"': 1,
    });
    expect(await read()).not.toContain('Canary');
  });

  it.each([
    ['off', {}],
    ['log', { 'operation="Suppliers",outcome="ok"': 1 }],
    ['enforce', { 'operation="Suppliers",outcome="ok"': 1 }],
  ])(
    'that are sent as text are recognised as DOCUMENTS_MODE=%s compares them',
    async (DOCUMENTS_MODE, counted) => {
      const DOCUMENTS = writeFolder({ 'suppliers.graphql': NAMED });
      const { execute, figures } = await startWatched({ DOCUMENTS, DOCUMENTS_MODE });

      await execute(NAMED);

      expect(await figures(DOCUMENT_OPERATIONS)).toEqual(counted);
    },
  );

  it('beyond the first hundred names are counted together', async () => {
    const names = Array.from({ length: 102 }, (_, at) => `Query${at}`);
    const files = names.map((name) => [`${name}.graphql`, `query ${name} { __typename }`]);
    const DOCUMENTS = writeFolder(Object.fromEntries(files));
    const { url, figures } = await startWatched({ DOCUMENTS });

    for (const documentId of names) await postBody(url, { documentId });

    const counted = await figures(DOCUMENT_OPERATIONS);
    expect(Object.keys(counted)).toHaveLength(101);
    expect(counted['operation="other",outcome="ok"']).toBe(2);
  });
});
