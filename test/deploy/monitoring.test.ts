import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

import { storeKey } from '../features/replicas/support.ts';
import { writeRoles } from '../features/roles/support.ts';
import { callerKeys, executeAs } from '../identity/support.ts';
import { writeFolder } from '../support/folder.ts';
import { postBody, startCountedGateway, startGateway } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';
import { startProgram } from '../support/program.ts';
import { freePort, startRedis } from '../support/redis.ts';
import { DEPLOY, hasPrograms, readDeployFile, readYaml, runProgram, type Yaml } from './support.ts';

const dashboard: Yaml = JSON.parse(readDeployFile('grafana/dashboards/caseway.json'));
const [rules] = readYaml('prometheus/alerts.yml');
const panels: Yaml[] = dashboard.panels.filter(({ type }: Yaml) => type !== 'row');
/** The queries of all panels, with what Grafana puts in for its variables. */
const queries: { readonly title: string; readonly expr: string }[] = panels.flatMap(
  ({ title, targets }) =>
    targets.map(({ expr }: Yaml) => ({
      title,
      expr: expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m'),
    })),
);
const alerts: { readonly alert: string; readonly expr: string }[] = rules.groups.flatMap(
  (group: Yaml) => group.rules,
);

const LIST = '{ instances(formId: "supplier", first: 1) { nodes { form { name } } } }';
const CREATE =
  'mutation { createInstance(input: { formId: "supplier", values: { name: "New", country: "PT", active: true } }) { instance { id } } }';
const DEAR =
  '{ forms(first: 100) { nodes { instances(first: 100) { nodes { form { name } } } } } }';

it('the dashboard or an alert has every metric of the gateway', async () => {
  const { metrics } = await startCountedGateway(await allMetrics());
  const shown = [...queries, ...alerts].map(({ expr }) => expr).join('\n');
  const names = [...(await metrics()).matchAll(/^# TYPE (caseway_\w+)/gm)].map(([, name]) => name);

  expect(names.filter((name) => !shown.includes(String(name)))).toEqual([]);
});

describe.skipIf(!hasPrograms('prometheus', 'redis-server'))(
  'a Prometheus that scrapes a gateway',
  () => {
    it('has data for every panel, and every metric and label that an alert uses', async () => {
      const ask = await startPrometheus();
      const isEmpty = async (expr: string) => (await ask(expr)).length === 0;

      const emptyPanels = () => filterAsync(queries, ({ expr }) => isEmpty(expr));
      const unknown = () => filterAsync(alerts.flatMap(selectorsOf), isEmpty);

      // A rate is there after the second scrape of its replica.
      await expect.poll(emptyPanels, { interval: 500 }).toEqual([]);
      // A scrape that a busy machine delays leaves all metrics of its replica out until the next one.
      await expect.poll(unknown, { interval: 500 }).toEqual([]);
    });
  },
);

/**
 * A query for each label of each metric in an alert: it finds nothing where the metric has no such
 * label.
 */
function selectorsOf({ expr }: { readonly expr: string }): string[] {
  const selectors = [...expr.matchAll(/\b((?:caseway|nodejs|process)_\w+|up)\b(?:\{(.*?)\})?/g)];
  return selectors.flatMap(([, metric, matchers = '']) => {
    const labels = [...matchers.matchAll(/(\w+)\s*[!=]/g)].map(([, label]) => label);
    return ['instance', ...labels].map((label) => `${metric}{${label}!=""}`);
  });
}

async function filterAsync<T>(
  items: readonly T[],
  isKept: (item: T) => Promise<boolean>,
): Promise<T[]> {
  const kept = await Promise.all(items.map(isKept));
  return items.filter((_item, at) => kept[at]);
}

describe.skipIf(!hasPrograms('promtool'))('promtool', () => {
  it('accepts the alerts, and the configuration of compose.yaml', () => {
    const file = (name: string) => join(DEPLOY, 'prometheus', name);

    const rules = runProgram('promtool', ['check', 'rules', file('alerts.yml')]);
    const config = ['check', 'config', '--syntax-only', file('prometheus.yml')];

    expect(rules).toContain('SUCCESS');
    expect(runProgram('promtool', config)).toContain('SUCCESS');
  });

  it.each<[alert: string, where: string, series: Readonly<Record<string, string>>]>([
    ['Down', 'all gateways are away', { 'up{job="caseway"}': '_x20', 'up{job="other"}': '1x20' }],
    ['Down', 'a gateway is away', { 'up{job="caseway",instance="a"}': '0x20' }],
    [
      'PlatformSilent',
      'the platform does not answer',
      { 'caseway_platform_answering{job="caseway"}': '1x8 0x12' },
    ],
    [
      'DefinitionsOld',
      'definitions have grown old',
      { 'caseway_definitions_age_seconds{job="caseway"}': '900+15x20' },
    ],
    [
      'LogLinesLost',
      'log lines are lost',
      { 'caseway_log_lines_lost_total{job="caseway"}': '0x8 1+1x12' },
    ],
    [
      'HourlyCallBudgetNearlyUsed',
      'the budget of an hour is nearly used',
      {
        'caseway_platform_calls_total{job="caseway",operation="getForm",ended="200"}': '0+120x20',
        'caseway_call_budget_hourly{job="caseway"}': '2000x20',
      },
    ],
    [
      'AuditUnwritable',
      'the audit cannot be written',
      { 'caseway_audit_writable{job="caseway",instance="a"}': '1x8 0x12' },
    ],
    [
      'AuditUnwritable',
      'changes were refused for the audit, and are not any more',
      {
        'caseway_audit_writable{job="caseway",instance="a"}': '1x20',
        'caseway_errors_total{job="caseway",instance="a",code="AUDIT_UNAVAILABLE"}': '0x8 1x12',
      },
    ],
    [
      'CallersRefused',
      'callers are refused',
      { 'caseway_refused_callers_total{job="caseway",reason="unknown key"}': '0+30x20' },
    ],
    [
      'RoleRefusals',
      'a role does not allow something',
      { 'caseway_role_refusals_total{job="caseway",right="portal: delete supplier"}': '0+30x20' },
    ],
    [
      'ReloadFailed',
      'changed files cannot be used',
      { 'caseway_reload_failed{job="caseway"}': '0x6 1x14' },
    ],
    [
      'UnexpectedErrors',
      'the first error is unexpected',
      { 'caseway_errors_total{job="caseway",code="INTERNAL_SERVER_ERROR"}': '0x8 1x12' },
    ],
  ])('sees the alert %s where %s', (alert, _where, series) => {
    const all = { 'up{job="caseway"}': '1x20', ...series };

    expect(testRules(all, { '4m': [`Caseway${alert}`] })).toContain('SUCCESS');
  });

  const standalone = 'caseway_replicas_standalone_seconds_total{job="caseway",instance="a"}';
  const redisUp = 'caseway_redis_up{job="caseway",instance="a"}';
  it.each<[string, Readonly<Record<string, string>>, string[]]>([
    [
      'sees an alert where Redis is lost for five seconds every two minutes',
      { [standalone]: '0x7 5x7 10x7 15x7 20x7 25x7 30x7 35x7 40x7 45x7 50x7 55x7 60x7 65x7 70x7' },
      ['CasewayRedisFlapping'],
    ],
    [
      'sees no alert for flapping where Redis was lost once for a minute',
      { [standalone]: '0x7 5+15x4 65x120', [redisUp]: '1x7 0x4 1x120' },
      [],
    ],
    [
      'sees one alert where Redis is away',
      { [standalone]: '0+15x130', [redisUp]: '0x130' },
      ['CasewayRedisUnavailable'],
    ],
  ])('%s', (_what, series, expected) => {
    const background = { 'up{job="caseway"}': '1x130', [redisUp]: '1x130' };

    const printed = testRules(
      { ...background, ...series },
      { '12m': expected.filter((alert) => alert === 'CasewayRedisUnavailable'), '28m': expected },
    );

    expect(printed).toContain('SUCCESS');
  });
});

/**
 * Tests the alerts by promtool: series every 15 seconds, and the alerts that fire after a time.
 * Returns the output.
 */
function testRules(
  series: Readonly<Record<string, string>>,
  firing: Readonly<Record<string, readonly string[]>>,
): string {
  const test = {
    interval: '15s',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: Object.entries(firing).map(([eval_time, alerts]) => ({
      expr: `count by (alertname) (ALERTS{alertstate="firing"})`,
      eval_time,
      exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
    })),
  };
  const file = {
    rule_files: [join(DEPLOY, 'prometheus/alerts.yml')],
    evaluation_interval: '15s',
    tests: [test],
  };
  const folder = writeFolder({ 'tests.yml': file });
  return runProgram('promtool', ['test', 'rules', join(folder, 'tests.yml')]);
}

/**
 * Starts a Prometheus with the alerts, and gateways with everything that has metrics. Returns a
 * function that runs a query.
 */
async function startPrometheus(): Promise<(query: string) => Promise<Yaml>> {
  const redis = await startRedis();
  const { url, execute, metricsUrl } = await startCountedGateway({
    ...(await allMetrics()),
    DOCUMENTS: writeFolder({ 'list.graphql': `query List ${LIST}` }),
    REDIS_URL: redis.url,
    SESSION_KEYS: storeKey(),
  });
  const roles = writeRoles({ callers: { web: 'none' }, roles: { none: {} } });
  const closed = await startGateway({ METRICS_PORT: '0', ...callerKeys('web'), ROLES: roles });
  await closed.execute(LIST);
  await executeAs(closed.url, LIST, { 'x-api-key': 'web' });
  const small = await startGateway({ METRICS_PORT: '0', UPSTREAM_CALLS_PER_MINUTE: '12' });

  const port = await freePort();
  const targets = [metricsUrl, closed.metricsUrl, small.metricsUrl].map(
    (address) => new URL(String(address)).host,
  );
  const scrape = { job_name: 'caseway', scrape_interval: '500ms', static_configs: [{ targets }] };
  const folder = writeFolder({
    'prometheus.yml': {
      global: { scrape_timeout: '500ms' },
      rule_files: [join(DEPLOY, 'prometheus/alerts.yml')],
      scrape_configs: [scrape],
    },
  });
  await startProgram(port, 'prometheus', [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const query = async (expr: string) => {
    const response = await fetch(
      `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`,
    );
    const { data, error }: Yaml = await response.json();
    if (error !== undefined) throw new Error(error);
    return data.result;
  };
  // A rate needs two scrapes with a difference between them.
  await vi.waitFor(
    async () => {
      for (const document of [LIST, LIST, CREATE, DEAR, '{ rate }']) await execute(document);
      await postBody(url, { documentId: 'list' });
      await small.execute(LIST);
      expect(
        await query('sum(rate(caseway_operations_total{kind="mutation"}[1m])) > 0'),
      ).not.toEqual([]);
    },
    { timeout: 90_000, interval: 300 },
  );
  return query;
}

/** Returns settings of a gateway with most metrics. */
async function allMetrics() {
  const service = await listen(createServer((_request, response) => response.end('42')));
  const EXTENSIONS = writeFolder({
    'none.mjs': `export default { typeDefs: 'extend type NoSuchForm { rate: Int }' };`,
    'rate.mjs': `export default {
      typeDefs: 'extend type Query { rate: Int }',
      resolvers: { Query: { rate: { calls: 1, resolve: async (_source, _args, { fetch }) => (await fetch('${service}/')).status } } },
    };`,
  });
  return {
    METRICS_PORT: '0',
    TYPED_FORMS: '*',
    UPSTREAM_CALLS_PER_MINUTE: '60000',
    UPSTREAM_CALLS_PER_HOUR: '3600000',
    AUDIT_FILE: join(writeFolder({}), 'audit.jsonl'),
    EXTENSIONS,
  };
}
