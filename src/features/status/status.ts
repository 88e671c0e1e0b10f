import { getHeapStatistics } from 'node:v8';

import { type Check, formatCount, formatTime, type StatusSection } from '../../core/facts.ts';
import type { GatewayParts } from '../../feature.ts';
import { readChecks } from '../../http/health.ts';
import type { UpstreamState } from '../../upstream/index.ts';
import type { Status } from './page.ts';
import type { FailureCount, Tally } from './tally.ts';

/** Where the state of a gateway is read from. */
export interface StatusSources
  extends Pick<GatewayParts, 'version' | 'settings' | 'http' | 'upstream' | 'store' | 'facts'> {
  readonly tally: Tally;
}

/** Reads the state of a gateway for its operator: no value, credential, address or person is in it. */
export async function readStatus(sources: StatusSources): Promise<Status> {
  const { version, tally, upstream, facts } = sources;
  const [checks, platform, ...sections] = await Promise.all([
    readChecks(facts.checks),
    upstream.state(),
    ...facts.sections.map((read) => read()),
  ]);
  const failed = checks.find(({ check, result }) => check.isRequired && result !== 'ok');
  const state = stateOf(sources, failed?.check);
  return {
    title: `Caseway ${version}`,
    state,
    isWarning: state !== 'ready',
    at: formatTime(Date.now()),
    sections: [
      describeProcess(),
      describeLoad(sources),
      describePlatform(platform, sources),
      describeCache(sources),
      describeFailures(tally.failures()),
      ...sections,
    ],
  };
}

function stateOf({ http, upstream }: StatusSources, failed: Check | undefined): string {
  if (http.isStopping()) return 'shutting down';
  if (failed) return `not ready: ${failed.problem ?? failed.name}`;
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

function describeLoad({ http, settings, tally }: StatusSources): StatusSection {
  const { inFlight, limit, delayMs } = http.load();
  const { MAX_CONCURRENT_REQUESTS: max, CALLER_REQUESTS_PER_MINUTE: perCaller } = settings;
  const lowered = limit < max ? ` (lowered from ${max})` : '';
  return {
    title: 'Requests',
    facts: [
      { name: 'Operations since startup', value: formatCount(tally.totals.operations) },
      {
        name: 'In flight',
        value: `${inFlight} of ${formatCount(limit)}${lowered}`,
        share: inFlight / limit,
        isWarning: limit < max,
      },
      { name: 'Event loop delay', value: `${Math.round(delayMs)} ms`, isWarning: delayMs > LATE_MS },
      { name: 'Requests of one caller', value: perCaller === undefined ? 'no limit' : `${perCaller} a minute` },
      { name: 'Calls of one operation', value: `at most ${settings.COST_MAX_CALLS}` },
    ],
  };
}

function describePlatform(
  { pauseMs, budget }: UpstreamState,
  { settings, upstream, tally }: StatusSources,
): StatusSection {
  const isBroken = !upstream.isAnswering();
  const perMinute = settings.UPSTREAM_CALLS_PER_MINUTE;
  return {
    title: 'Platform',
    facts: [
      { name: 'Calls since startup', value: formatCount(tally.totals.calls) },
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

const BUDGET_NAMES = { read: 'Reads', write: 'Changes', 'sign-in': 'Sign-ins', poll: 'Polls' } as const;

function describeCache({ store, settings, tally: { totals } }: StatusSources): StatusSection {
  const { calls, saved } = totals;
  const { fresh, coalesced, not_modified: notModified, stale } = saved;
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

const describeFailures = (failures: readonly FailureCount[]): StatusSection => ({
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

const FAILURE_NAMES = {
  response: 'Answer',
  platform: 'Call to the platform',
  service: 'Call of an extension',
} as const;

/** As `3 h 12 min`. */
const formatUptime = (seconds: number): string =>
  `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;

const formatPercent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const formatBytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;
