import type { ReadinessCheck, StatusLine } from '../../core/facts.ts';
import type { GatewayParts } from '../../feature.ts';
import type { FailureCount, Tally, Totals } from './tally.ts';

/** Where the state of a gateway is read from. */
interface StatusSources extends Pick<GatewayParts, 'version' | 'http' | 'upstream' | 'facts'> {
  readonly tally: Tally;
}

/** The state of a gateway. */
export type Status = Awaited<ReturnType<typeof readStatus>>;
export type GaugeReading = Status['gauges'][number];

/** Reads the state of a gateway for its operator: no value, credential, address or person is in it. */
export async function readStatus(sources: StatusSources) {
  const { version, tally, facts } = sources;
  const [checks, gauges] = await Promise.all([
    Promise.all(facts.readiness.map(async (check) => ({ check, result: await check.read() }))),
    Promise.all(facts.gauges.map(async ({ name, help, label, read }) => ({ name, help, label, value: await read() }))),
  ]);
  const failed = checks.find(({ check, result }) => check.isRequired && result !== 'ok');
  return {
    title: `Caseway ${version}`,
    state: stateOf(sources, failed?.check),
    at: formatTime(Date.now()),
    /** The result of each check, by its name. */
    readiness: Object.fromEntries(checks.map(({ check, result }) => [check.name, result])),
    gauges: [...gauges, { ...CALLER_CALLS, value: tally.callerCalls }],
    lines: [
      { title: 'Reads since startup', text: describeReads(tally.totals) },
      ...facts.status.flatMap((read) => read()),
      ...tally.failures().map(describeFailure),
    ],
  };
}

const CALLER_CALLS = {
  name: 'caseway_caller_calls_total',
  help: 'Calls sent to the platform since startup, by caller and kind.',
  label: 'caller',
};

function stateOf({ http, upstream }: StatusSources, failed: ReadinessCheck | undefined): string {
  if (http.isStopping()) return 'shutting down';
  if (failed) return `not ready: ${failed.problem ?? failed.name}`;
  return upstream.isAnswering() ? 'ready' : 'degraded: the platform does not answer';
}

/** How often the cache has saved a call, or a full response. */
function describeReads({ calls, saved }: Totals): string {
  const { fresh, coalesced, not_modified: notModified, stale } = saved;
  const reads = calls + fresh + coalesced + stale;
  const rate = (count: number) => `${count} (${((100 * count) / Math.max(1, reads)).toFixed(1)} %)`;
  return `${reads}, of which ${rate(fresh)} served fresh, ${rate(coalesced)} joined a call in flight, ${rate(notModified)} not modified, ${rate(stale)} served stale after a failure`;
}

const describeFailure = ({ what, operation, ended, count, lastAtMs }: FailureCount): StatusLine => ({
  title: [FAILURE_NAMES[what], operation, ended].filter((part) => part !== '').join(' '),
  text: `${count} since startup, the last at ${formatTime(lastAtMs)}`,
});

const FAILURE_NAMES = {
  response: 'Answer',
  platform: 'Call to the platform',
  service: 'Call of an extension',
} as const;

/** To the second, in UTC. */
export const formatTime = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
