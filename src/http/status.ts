import { getHeapStatistics } from 'node:v8';

import type { CacheStore } from '../cache/store.ts';
import type { Settings } from '../config/settings.ts';
import type { LeftOut } from '../extensions/extend-schema.ts';
import type { Failure, Metrics, Totals } from '../telemetry/metrics.ts';
import type { SchemaReport } from '../typed-graph/schema-reloader.ts';
import type { UpstreamFactory, UpstreamState } from '../upstream/index.ts';
import type { HttpServer } from './server.ts';
import type { Status, StatusFact, StatusSection } from './status-page.ts';

/** Where the state of a gateway is read from. */
export interface StatusSources {
  readonly version: string;
  readonly settings: Settings;
  readonly metrics: Pick<Metrics, 'failures' | 'totals'>;
  readonly load: HttpServer['load'];
  readonly isStopping: HttpServer['isStopping'];
  readonly upstream: Pick<UpstreamFactory, 'isAnswering' | 'state'>;
  readonly store: Pick<CacheStore, 'bytes' | 'entries' | 'responses'>;
  /** Rejects while the platform gives no token. */
  readonly checkReady: () => Promise<void>;
  readonly schema: () => SchemaReport;
  /** Whether the schema lacks the types of forms. */
  readonly isSchemaMissing: () => boolean;
  /** Absent without `EXTENSIONS`. */
  readonly leftOut: (() => readonly LeftOut[]) | undefined;
  /** Absent without `REDIS_URL`. */
  readonly isSharing: (() => boolean) | undefined;
}

/** Reads the state of a gateway for its operator: no value, credential, address or person is in it. */
export async function readStatus(sources: StatusSources): Promise<Status> {
  const { version, metrics, upstream, checkReady } = sources;
  const [hasToken, platform, totals] = await Promise.all([
    checkReady().then(
      () => true,
      () => false,
    ),
    upstream.state(),
    metrics.totals(),
  ]);
  const state = stateOf(sources, hasToken);
  return {
    title: `Caseway ${version}`,
    state,
    isWarning: state !== 'ready',
    at: formatTime(Date.now()),
    sections: [
      describeProcess(),
      describeLoad(sources, totals),
      describePlatform(platform, sources, totals),
      describeCache(sources, totals),
      describeFailures(metrics.failures()),
      describeSchema(sources.schema()),
      ...(sources.leftOut ? [describeExtensions(sources.leftOut())] : []),
    ],
  };
}

function stateOf({ isStopping, isSchemaMissing, upstream }: StatusSources, hasToken: boolean): string {
  if (isStopping()) return 'shutting down';
  if (!hasToken) return 'not ready: the platform gives no token';
  if (isSchemaMissing()) return 'not ready: the form definitions have not been read';
  return upstream.isAnswering() ? 'ready' : 'degraded: the platform does not answer';
}

function describeProcess(): StatusSection {
  const { heap_size_limit: heapLimit, used_heap_size: heapUsed } = getHeapStatistics();
  const { user, system } = process.cpuUsage();
  const uptimeSeconds = process.uptime();
  const share = (user + system) / 1e6 / uptimeSeconds;
  return {
    title: 'Process',
    facts: [
      { name: 'Uptime', value: `${formatUptime(uptimeSeconds)}, since ${formatTime(performance.timeOrigin)}` },
      { name: 'Node', value: process.version },
      { name: 'Heap', value: `${formatBytes(heapUsed)} of ${formatBytes(heapLimit)}`, share: heapUsed / heapLimit },
      { name: 'Resident memory', value: formatBytes(process.memoryUsage.rss()) },
      { name: 'CPU, average', value: `${formatPercent(share)} of a core` },
      { name: 'Event loop, average', value: `${formatPercent(performance.eventLoopUtilization().utilization)} busy` },
    ],
  };
}

/** The event loop delay that makes the limit of requests shrink is below this. */
const LATE_MS = 100;

function describeLoad({ load, settings, isSharing }: StatusSources, { operations }: Totals): StatusSection {
  const { inFlight, limit, delayMs } = load();
  const { MAX_CONCURRENT_REQUESTS: max, CALLER_REQUESTS_PER_MINUTE: perCaller } = settings;
  const lowered = limit < max ? ` (lowered from ${max})` : '';
  return {
    title: 'Requests',
    facts: [
      { name: 'Operations since startup', value: formatCount(operations) },
      {
        name: 'In flight',
        value: `${inFlight} of ${formatCount(limit)}${lowered}`,
        share: inFlight / limit,
        isWarning: limit < max,
      },
      { name: 'Event loop delay', value: `${Math.round(delayMs)} ms`, isWarning: delayMs > LATE_MS },
      { name: 'Requests of one caller', value: perCaller === undefined ? 'no limit' : `${perCaller} a minute` },
      { name: 'Calls of one operation', value: `at most ${settings.COST_MAX_CALLS}` },
      describeReplicas(isSharing),
    ],
  };
}

function describeReplicas(isSharing: (() => boolean) | undefined): StatusFact {
  if (isSharing === undefined) return { name: 'Replicas', value: 'standalone' };
  return isSharing()
    ? { name: 'Replicas', value: 'share state through Redis' }
    : { name: 'Replicas', value: 'standalone: Redis is unavailable', isWarning: true };
}

function describePlatform(
  { pauseMs, budget }: UpstreamState,
  { settings, upstream }: StatusSources,
  { calls }: Totals,
): StatusSection {
  const isBroken = !upstream.isAnswering();
  const perMinute = settings.UPSTREAM_CALLS_PER_MINUTE;
  return {
    title: 'Platform',
    facts: [
      { name: 'Calls since startup', value: formatCount(calls) },
      {
        name: 'Circuit breaker',
        value: isBroken ? 'open: the platform does not answer' : 'closed',
        isWarning: isBroken,
      },
      {
        name: 'Rate limit pause',
        value: pauseMs > 0 ? `${Math.ceil(pauseMs / 1_000)} s left` : 'none',
        isWarning: pauseMs > 0,
      },
      { name: 'Call budget', value: perMinute === undefined ? 'no limit' : `${formatCount(perMinute)} a minute` },
      ...(budget ?? []).map(({ share, left, limit }) => ({
        name: `${BUDGET_NAMES[share]} in these ten seconds`,
        value: `${formatCount(left)} of ${formatCount(limit)} left`,
        share: 1 - left / limit,
        isWarning: left === 0,
      })),
      { name: 'Timeout of a call', value: `${formatCount(settings.UPSTREAM_TIMEOUT_MS)} ms` },
    ],
  };
}

const BUDGET_NAMES = { read: 'Reads', write: 'Changes', 'sign-in': 'Sign-ins' } as const;

function describeCache({ store, settings }: StatusSources, { calls, saved }: Totals): StatusSection {
  const { fresh = 0, coalesced = 0, not_modified: notModified = 0, stale = 0 } = saved;
  const reads = calls + fresh + coalesced + stale;
  const rate = (count: number) => `${formatCount(count)} (${formatPercent(reads === 0 ? 0 : count / reads)})`;
  const max = settings.CACHE_MAX_BYTES;
  return {
    title: 'Cache',
    facts: [
      { name: 'Memory', value: `${formatBytes(store.bytes)} of ${formatBytes(max)}`, share: store.bytes / max },
      { name: 'Records', value: formatCount(store.entries.size) },
      { name: 'Cached responses', value: formatCount(store.responses.size) },
      { name: 'Served fresh, without a call', value: rate(fresh) },
      { name: 'Joined a call in flight', value: rate(coalesced) },
      { name: 'Not modified (304)', value: rate(notModified) },
      { name: 'Served stale after a failure', value: rate(stale), isWarning: stale > 0 },
    ],
  };
}

const describeFailures = (failures: readonly Failure[]): StatusSection => ({
  title: 'Failures',
  facts: [],
  tables: [
    {
      caption: 'Each kind once, the last one first',
      columns: ['Last at', 'What', 'Operation', 'Ended with', 'Since the start'],
      rows: failures.map(({ what, operation, ended, count, lastAtMs }) => [
        formatTime(lastAtMs),
        FAILURE_NAMES[what],
        operation,
        ended,
        formatCount(count),
      ]),
      whenEmpty: 'None since startup.',
    },
  ],
});

const FAILURE_NAMES = { answer: 'Answer', call: 'Call to the platform', extension: 'Call of an extension' } as const;

function describeSchema({ version, forms, age, problems, replacements }: SchemaReport): StatusSection {
  const changes = replacements.flatMap(({ atMs, changes: all }) =>
    all.map(({ severity, place = '', message }) => [formatTime(atMs), severity, place, message]),
  );
  return {
    title: 'Graph',
    facts: [
      { name: 'Version since startup', value: String(version) },
      { name: 'Forms with types of their own', value: formatCount(forms) },
      ...(age ? [{ name: 'Definitions read', value: formatAge(age.ms), isWarning: age.isOld }] : []),
    ],
    tables: [
      {
        caption: 'Forms and rules that stay generic, or lack a field',
        columns: ['Form or rule', 'Field', 'Reason'],
        rows: problems.map((problem) => [
          'rule' in problem ? problem.rule : problem.formId,
          problem.field ?? '',
          problem.reason,
        ]),
        whenEmpty: 'None.',
      },
      {
        caption: 'Last changes',
        columns: ['At', 'Severity', 'Place', 'Change'],
        rows: changes,
        whenEmpty: 'None since startup.',
      },
    ],
  };
}

const describeExtensions = (leftOut: readonly LeftOut[]): StatusSection => ({
  title: 'Extensions',
  facts: [],
  tables: [
    {
      caption: 'Parts that are left out',
      columns: ['File', 'Place', 'Reason'],
      rows: leftOut.map(({ file, place, reason }) => [file, place, reason]),
      whenEmpty: 'None.',
    },
  ],
});

/** To the second, in UTC. */
const formatTime = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');

const formatAge = (ms: number): string => `${formatCount(Math.round(ms / 1_000))} s ago`;

const formatCount = (count: number): string => count.toLocaleString('en-US');

/** As `3 h 12 min`. */
const formatUptime = (seconds: number): string =>
  `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;

const formatPercent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const formatBytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;
