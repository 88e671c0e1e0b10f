import { describe, expect, it } from 'vitest';
import { type Definition, startFormPlatform } from '../../support/form-platform.ts';
import { postGraphql, startCountedGateway, startGateway } from '../../support/gateway.ts';
import { limits } from '../../support/limits.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { startLiveGateway } from '../typed-graph/support/start.ts';

interface Status {
  readonly state: string;
  readonly readiness: Readonly<Record<string, string>>;
  readonly gauges: readonly { readonly name: string; readonly value: unknown }[];
  readonly lines: readonly { readonly title: string; readonly text: string }[];
}

/** Reads the state of a gateway: gauges by name, and lines by title. */
async function readStatus(metricsUrl: string | undefined) {
  const response = await fetch(new URL('/status', metricsUrl));
  const { state, readiness, gauges, lines } = (await response.json()) as Status;
  return {
    state,
    readiness,
    gauges: Object.fromEntries(gauges.map(({ name, value }) => [name, value])),
    lines: Object.fromEntries(lines.map((line) => [line.title, line.text])),
  };
}

const thing = (field: string): Definition => ({
  idForm: 'thing',
  fields: [{ name: field, type: 'text' }],
});

describe('the status of a gateway', () => {
  it('shows the used and free part of the limits, as the metrics do', async () => {
    const env = { UPSTREAM_CALLS_PER_MINUTE: '600', ...limits({ maxConcurrentRequests: 7 }) };
    const { execute, metrics, metricsUrl } = await startCountedGateway({
      METRICS_PORT: '0',
      LIVE_INTERVAL_MS: '0',
      ...env,
    });

    await execute('{ form(formId: "supplier") { name } }');
    const { readiness, gauges } = await readStatus(metricsUrl);

    expect(readiness).toEqual({ schema: 'ok', token: 'ok' });
    expect(gauges).toMatchObject({
      caseway_requests_in_flight: 0,
      caseway_requests_limit: 7,
      caseway_platform_answering: 1,
      caseway_rate_limit_pause_seconds: 0,
      caseway_reload_failed: 0,
      caseway_call_budget: 600,
      caseway_call_budget_left: { read: expect.toBeOneOf([79, 80]), write: 10, 'sign-in': 10 },
    });
    expect(await metrics()).toMatch(/caseway_call_budget_left\{share="read"\} (79|80)$/m);
  });

  it('warns of a platform that does not respond', async () => {
    const env = {
      UPSTREAM_URL: 'http://127.0.0.1:1',
      UPSTREAM_USERNAME: 'u',
      UPSTREAM_PASSWORD: 'p',
    };
    const gateway = await startGateway({ METRICS_PORT: '0', ...env });

    const { state, readiness } = await readStatus(gateway.metricsUrl);

    expect(state).toBe('not ready: the platform gives no token: getToken: unavailable');
    expect(readiness['token']).toBe('unavailable');
  });

  it('shows that the gateway is degraded while the platform does not answer', async () => {
    const platform = await scriptPlatform(() => ({ body: { idForm: 'driver', name: 'Driver' } }));
    const gateway = await startGateway({ METRICS_PORT: '0', ...platform.env });
    const aliases = Array.from(
      { length: 30 },
      (_, index) => `a${index}: form(formId: "f${index}") { name }`,
    );

    await gateway.execute('{ form(formId: "driver") { name } }');
    expect((await readStatus(gateway.metricsUrl)).state).toBe('ready');
    platform.close();
    await expect
      .poll(async () => {
        await gateway.execute(`{ ${aliases.join(' ')} }`);
        return (await readStatus(gateway.metricsUrl)).state;
      })
      .toBe('degraded: the platform does not answer');

    expect(await gateway.metrics()).toMatch(/^caseway_platform_answering 0$/m);
  });

  it('is served, as the metrics are, until the last request is answered', async () => {
    // In production it serves on for a fifth of its time to stop.
    const env = { NODE_ENV: 'production', CALLER_AUTH: 'none', ...limits({ shutdownMs: 5_000 }) };
    const { url, metrics, metricsUrl, close } = await startGateway({ METRICS_PORT: '0', ...env });

    const closed = close();
    const { state } = await readStatus(metricsUrl);
    const { data } = await postGraphql(url, '{"query":"{ __typename }"}');
    const page = await metrics();
    await closed;

    expect(state).toBe('shutting down');
    expect(data).toEqual({ __typename: 'Query' });
    expect(page).toContain('caseway_operations_total{kind="query",outcome="ok"} 1');
    await expect(metrics()).rejects.toThrow('fetch failed');
  });

  it('shows how the graph follows the forms, and which of them have no types and why', async () => {
    const platform = await startFormPlatform([thing('old'), { idForm: 'bare' }]);
    const { metricsUrl, until, fieldsOf } = await startLiveGateway({
      ...platform.env,
      METRICS_PORT: '0',
    });

    const before = await readStatus(metricsUrl);
    platform.define([thing('new'), { idForm: 'other' }]);
    await until(async () => (await fieldsOf('Thing')).includes('new'));
    const after = await readStatus(metricsUrl);

    expect(before.gauges).toMatchObject({
      caseway_typed_forms: 1,
      caseway_definitions_age_seconds: expect.any(Number),
    });
    expect(before.lines).toMatchObject({
      'Form bare': 'stays generic: its definition lists no fields',
    });
    expect(after.lines).not.toHaveProperty('Form bare');
    expect(after.lines).toMatchObject({
      'Form other': 'stays generic: its definition lists no fields',
    });
  });
});
