import { describe, expect, it, onTestFinished } from 'vitest';
import { startDifferentPlatform } from '../../support/different-platform/index.ts';
import { writeFolder } from '../../support/folder.ts';
import { type Definition, startFormPlatform } from '../../support/form-platform.ts';
import { postGraphql, startCountedGateway, startGateway } from '../../support/gateway.ts';
import { eventually } from '../replicas/support.ts';
import { startLiveGateway } from '../typed-graph/support/start.ts';

interface Section {
  readonly facts: readonly { readonly name: string; readonly value: string; readonly isWarning?: boolean }[];
  readonly tables?: readonly { readonly caption: string; readonly rows: readonly (readonly string[])[] }[];
}

/** Reads the page of a gateway as JSON. `factsOf` and `rowsOf` give what a section says. */
async function readStatus(metricsUrl: string | undefined) {
  const response = await fetch(new URL('/status', metricsUrl), { headers: { accept: 'application/json' } });
  const text = await response.text();
  const status = JSON.parse(text) as {
    readonly state: string;
    readonly sections: readonly (Section & { readonly title: string })[];
  };
  const sectionOf = (title: string) => status.sections.find((section) => section.title === title);
  return {
    ...status,
    text,
    factsOf: (title: string) =>
      Object.fromEntries(sectionOf(title)?.facts.map(({ name, value }) => [name, value]) ?? []),
    warnings: status.sections.flatMap(({ facts }) =>
      facts.filter(({ isWarning }) => isWarning).map(({ name }) => name),
    ),
    rowsOf: (title: string, caption: RegExp) =>
      sectionOf(title)?.tables?.find((table) => caption.test(table.caption))?.rows,
  };
}

const thing = (field: string): Definition => ({ idForm: 'thing', fields: [{ name: field, type: 'text' }] });

describe('the status page', () => {
  it('is a page without scripts for a browser, and JSON for a program', async () => {
    const { metricsUrl } = await startCountedGateway({ METRICS_PORT: '0' });

    const page = await fetch(new URL('/status', metricsUrl), { headers: { accept: 'text/html,*/*' } });
    const html = await page.text();

    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).toMatch(/<h1>Caseway \d+\.\d+\.\d+<\/h1>\n<p class="state">ready<\/p>/);
    expect(html).not.toContain('<script');
    expect((await readStatus(metricsUrl)).state).toBe('ready');
  });

  it('shows the calls made and saved, and what is left of the limits', async () => {
    const limits = { UPSTREAM_CALLS_PER_MINUTE: '600', MAX_CONCURRENT_REQUESTS: '7' };
    const env = { METRICS_PORT: '0', LIVE_MAX_STREAMS: '0', ...limits };
    const { execute, metricsUrl } = await startCountedGateway(env);

    await execute('{ form(formId: "supplier") { name } }');
    await execute('{ form(formId: "supplier") { name description } }');
    const { factsOf, warnings } = await readStatus(metricsUrl);

    expect(factsOf('Requests')).toMatchObject({ 'In flight': '0 of 7', 'Operations since startup': '2' });
    expect(factsOf('Platform')).toMatchObject({
      'Calls since startup': '2',
      'Circuit breaker': 'closed',
      'Rate limit pause': 'none',
      'Call budget': '600 a minute',
      'Reads in these ten seconds': '79 of 80 left',
      'Changes in these ten seconds': '10 of 10 left',
      'Sign-ins in these ten seconds': '9 of 10 left',
    });
    expect(factsOf('Cache')).toMatchObject({ Records: '1', 'Served fresh, without a call': '1 (33.3 %)' });
    expect(warnings).toEqual([]);
  });

  it('lists failures by kind, with no value and no personal name', async () => {
    const { execute, metricsUrl, url } = await startCountedGateway({ METRICS_PORT: '0' }, { requestLimit: 3 });

    await execute('{ canary(value: "canary") }');
    await execute('{ instances(formId: "canary") { totalCount } }');
    await execute('{ instances(formId: "canary") { totalCount } }');
    await fetch(`${url}/graphql`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'canary' });
    await execute('query Canary { a: form(formId: "canary1") { name } b: form(formId: "canary2") { name } }');
    const { rowsOf, text, warnings } = await readStatus(metricsUrl);

    const rows = rowsOf('Failures', /./)?.map(([, ...rest]) => rest);
    expect(rows).toContainEqual(['Answer', '', 'BAD_USER_INPUT', '2']);
    expect(rows).toContainEqual(['Answer', '', 'NOT_FOUND', '2']);
    expect(rows).toContainEqual(['Call to the platform', 'getFormIntances', '404', '2']);
    expect(rows).toContainEqual(['Answer', '', 'RATE_LIMITED', '1']);
    expect(rowsOf('Failures', /./)?.[0]?.[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    expect(warnings).toEqual(['Rate limit pause']);
    expect(text.toLowerCase()).not.toContain('canary');
    expect(text).not.toContain('demo');
  });

  it('warns of a platform that does not respond', async () => {
    const env = { UPSTREAM_URL: 'http://127.0.0.1:1', UPSTREAM_USERNAME: 'u', UPSTREAM_PASSWORD: 'p' };
    const gateway = await startGateway({ METRICS_PORT: '0', ...env });
    onTestFinished(gateway.close);

    const { state, rowsOf } = await readStatus(gateway.metricsUrl);

    expect(state).toBe('not ready: the platform gives no token');
    expect(rowsOf('Failures', /./)?.[0]).toContain('getToken');
  });

  it('says that the gateway is degraded while the platform does not answer', async () => {
    const platform = await startDifferentPlatform();
    const gateway = await startGateway({ METRICS_PORT: '0', ...platform.settings });
    onTestFinished(gateway.close);
    const aliases = Array.from({ length: 30 }, (_, index) => `a${index}: form(formId: "f${index}") { name }`);

    await gateway.execute('{ form(formId: "driver") { name } }');
    expect((await readStatus(gateway.metricsUrl)).state).toBe('ready');
    await platform.close();
    await expect
      .poll(
        async () => {
          await gateway.execute(`{ ${aliases.join(' ')} }`);
          return (await readStatus(gateway.metricsUrl)).state;
        },
        { timeout: 10_000 },
      )
      .toBe('degraded: the platform does not answer');

    const { warnings } = await readStatus(gateway.metricsUrl);
    expect(warnings).toContain('Circuit breaker');
    expect(await (await fetch(String(gateway.metricsUrl))).text()).toMatch(/^caseway_platform_answering 0$/m);
  });

  it('is served, as the metrics are, until the last request is answered', async () => {
    // In production it serves on for a fifth of its time to stop.
    const env = { NODE_ENV: 'production', SANDBOX: 'on', CALLER_AUTH: 'none', SHUTDOWN_TIMEOUT_MS: '10000' };
    const { url, metricsUrl, close } = await startGateway({ METRICS_PORT: '0', ...env });

    const closed = close();
    const { state } = await readStatus(metricsUrl);
    const { data } = await postGraphql(url, '{"query":"{ __typename }"}');
    const metrics = await (await fetch(String(metricsUrl))).text();
    await closed;

    expect(state).toBe('shutting down');
    expect(data).toEqual({ __typename: 'Query' });
    expect(metrics).toContain('caseway_operations_total{kind="query",outcome="ok"} 1');
    await expect(fetch(String(metricsUrl))).rejects.toThrow('fetch failed');
  });

  it('shows how the graph follows the forms: what has changed, and which forms have no types and why', async () => {
    const platform = await startFormPlatform([thing('old'), { idForm: 'bare' }]);
    const { metricsUrl, until, fieldsOf } = await startLiveGateway({ ...platform.env, METRICS_PORT: '0' });

    const before = await readStatus(metricsUrl);
    platform.define([thing('new'), { idForm: 'bare' }]);
    await until(async () => (await fieldsOf('Thing')).includes('new'));
    await eventually(async () =>
      expect((await readStatus(metricsUrl)).factsOf('Graph')).toMatchObject({ 'Version since startup': '2' }),
    );
    const after = await readStatus(metricsUrl);

    expect(before.factsOf('Graph')).toEqual({
      'Version since startup': '1',
      'Forms with types of their own': '1',
      'Definitions read': '0 s ago',
    });
    expect(before.rowsOf('Graph', /generic/)).toEqual([['bare', '', 'its definition lists no fields']]);
    expect(before.rowsOf('Graph', /changes/)).toEqual([]);
    expect(after.rowsOf('Graph', /changes/)?.map(([, ...change]) => change)).toContainEqual([
      'breaking',
      'Thing.old',
      expect.stringContaining('removed'),
    ]);
  });

  it('lists the omitted parts of extensions', async () => {
    const folder = writeFolder({ 'own.js': 'export default { typeDefs: "extend type Nowhere { a: Int }" };' });
    const gateway = await startGateway({ METRICS_PORT: '0', EXTENSIONS: folder });
    onTestFinished(gateway.close);

    const { rowsOf } = await readStatus(gateway.metricsUrl);

    expect(rowsOf('Extensions', /./)).toEqual([['own.js', 'Nowhere.a', expect.stringContaining('Nowhere')]]);
  });
});
