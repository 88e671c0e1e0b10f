import { describe, expect, it } from 'vitest';
import { startCountedGateway } from '../../support/gateway.ts';
import { startWatched } from './support.ts';

const LIST = `{
  instances(formId: "supplier", first: 1) { nodes { form { name } } }
  rule(component: "approval-level", version: "1.0") { name }
}`;
const SECONDS = [
  '0.002',
  '0.005',
  '0.01',
  '0.025',
  '0.05',
  '0.1',
  '0.25',
  '0.5',
  '1',
  '2.5',
  '5',
  '10',
  '+Inf',
];

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
    expect([...new Set(buckets.map((labels) => /le="(.*?)"/.exec(labels)?.[1]))]).toEqual(SECONDS);
    expect(await figures('caseway_operation_seconds_count')).toMatchObject({ 'kind="query"': 3 });
    expect((await figures('caseway_operation_seconds_sum'))['kind="query"']).toBeLessThan(10);
    expect((await figures('caseway_cache_bytes'))['']).toBeGreaterThan(1_000);
  });

  it('count errors by code, rejected requests included, each once per response', async () => {
    const { url, execute, figures } = await startWatched();
    const list = (size: number) => `forms(first: ${size}) { totalCount }`;

    await execute(`{ a: ${list(1_000)} b: ${list(2_000)} }`);
    await execute('{ nothing }');
    await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: '{}',
    });

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
