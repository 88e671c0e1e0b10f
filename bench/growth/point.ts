import type { Client } from '../speed/client/index.ts';
import type { RequestTemplate } from '../speed/request.ts';
import type { Gateway } from '../stage/gateway.ts';
import { forgetPeak, processorTimeOf } from '../stage/usage.ts';
import type { Upstream } from '../upstream/index.ts';
import { busyBetween, machineTimes } from './machine.ts';

/** What was seen while some clients asked. */
export interface Point {
  readonly rps: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of one gateway, at most. */
  readonly peakRssMb: number;
  /** How busy each was, as a share of one processor: a gateway on average, all its threads together, and the platform. */
  readonly gatewayBusy: number;
  readonly upstreamBusy: number;
  /** How busy all processors were, other programs included, as a share of all of them. */
  readonly machineBusy: number;
  readonly processes: number;
  /** Calls that the platform had in flight, at most. */
  readonly maxInFlight: number;
  readonly failed: number;
}

export interface Field {
  readonly client: Client;
  readonly upstream: Upstream;
  readonly gateways: readonly Gateway[];
}

interface Crowd {
  readonly clients: number;
  readonly durationMs: number;
  /** The first of arguments that nobody asked before. */
  readonly from: number;
}

/** Lets a crowd ask for a while, each time for something new, and gives what was seen. */
export async function measure(
  template: RequestTemplate,
  { client, upstream, gateways }: Field,
  crowd: Crowd,
): Promise<Point> {
  const timeOf = () => gateways.reduce((sum, { pid }) => sum + processorTimeOf(pid), 0);
  await upstream.count();
  for (const { pid } of gateways) forgetPeak(pid);
  const before = { gateways: timeOf(), upstream: processorTimeOf(upstream.pid), machine: machineTimes() };
  const ports = gateways.map(({ port }) => port);
  const { answered, tookMs, busy: _, ...seen } = await client.fire({ ports, template, kind: 'varying', ...crowd });
  const { maxInFlight } = await upstream.count();
  return {
    ...seen,
    rps: (answered / tookMs) * 1_000,
    peakRssMb: Math.max(...gateways.map((gateway) => gateway.usage().peakRssMb)),
    gatewayBusy: (timeOf() - before.gateways) / tookMs / gateways.length,
    upstreamBusy: (processorTimeOf(upstream.pid) - before.upstream) / tookMs,
    machineBusy: busyBetween(before.machine, machineTimes()),
    processes: gateways.length,
    maxInFlight,
  };
}
