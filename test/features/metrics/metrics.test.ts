import { describe, expect, it } from 'vitest';
import { startCountedGateway } from '../../support/gateway.ts';

const LIST = '{ instances(formId: "supplier", first: 1) { nodes { form { name } } } }';

/** A gateway whose figures are read; `figures` gives those that begin so, by name and labels. */
async function startWatched(env: Readonly<Record<string, string>> = {}) {
  const gateway = await startCountedGateway({ METRICS_PORT: '0', ...env });
  const read = async () => (await fetch(String(gateway.metricsUrl))).text();
  const figures = async (start: string) =>
    Object.fromEntries(
      [...(await read()).matchAll(/^(\S+) (\S+)$/gm)]
        .filter(([, name = '']) => name.startsWith(start))
        .map(([, name, value]) => [name, Number(value)]),
    );
  return { ...gateway, read, figures };
}

describe('the metrics', () => {
  it('count operations, the calls they made and the calls they saved', async () => {
    const { execute, figures } = await startWatched();

    await execute(LIST);
    await execute(LIST);
    await execute('{ instance(formId: "none", instanceId: 1) { values } }');
    await execute('{ nothing }');

    expect(await figures('caseway_operations_total')).toEqual({
      'caseway_operations_total{kind="query",outcome="ok"}': 3,
      'caseway_operations_total{kind="none",outcome="failed"}': 1,
    });
    expect(await figures('caseway_platform_calls_total')).toEqual({
      'caseway_platform_calls_total{operation="getToken",ended="200"}': 1,
      'caseway_platform_calls_total{operation="getFormIntances",ended="200"}': 2,
      'caseway_platform_calls_total{operation="getForm",ended="200"}': 1,
      'caseway_platform_calls_total{operation="getFormIntance",ended="404"}': 1,
    });
    expect(await figures('caseway_reads_saved_total')).toEqual({ 'caseway_reads_saved_total{how="fresh"}': 1 });
    expect(await figures('caseway_operation_seconds_count')).toMatchObject({
      'caseway_operation_seconds_count{kind="query"}': 3,
    });
    expect((await figures('caseway_cache_bytes'))['caseway_cache_bytes']).toBeGreaterThan(1_000);
  });

  it('count errors by code, rejected requests included, each once per response', async () => {
    const { url, execute, figures } = await startWatched();
    const list = (size: number) => `forms(first: ${size}) { totalCount }`;

    await execute(`{ a: ${list(1_000)} b: ${list(2_000)} }`);
    await execute('{ nothing }');
    await fetch(`${url}/graphql`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' });

    expect(await figures('caseway_errors_total')).toEqual({
      // There from the start, so that the first one is an increase.
      'caseway_errors_total{code="INTERNAL_SERVER_ERROR"}': 0,
      'caseway_errors_total{code="BAD_USER_INPUT"}': 3,
    });
  });

  it('contain nothing of requests, callers or users', async () => {
    const { execute, read, origin } = await startWatched();

    await execute('query Canary { instance(formId: "canary", instanceId: "canary") { values } }');
    const text = await read();

    for (const secret of ['anary', 'demo', new URL(origin).host]) expect(text).not.toContain(secret);
  });

  it('are served at a port of their own, with nothing else', async () => {
    const { url, metricsUrl } = await startWatched();

    const statuses = [`${url}/metrics`, String(metricsUrl), `${metricsUrl}/x`].map(
      async (address) => (await fetch(address)).status,
    );

    expect(await Promise.all(statuses)).toEqual([404, 200, 404]);
  });

  it('are off unless a port is set', async () => {
    expect((await startCountedGateway()).metricsUrl).toBeUndefined();
  });
});
