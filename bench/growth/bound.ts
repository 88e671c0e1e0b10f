import type { Point } from './point.ts';

/** What is used to more than this share is what holds the rest up. */
const FULL = 0.85;

/** Says what kept a point from being higher, by what was used up when it was measured. */
export function boundOf(
  { gatewayBusy, machineBusy, upstreamBusy, processes, maxInFlight }: Point,
  connections: number,
): string {
  if (gatewayBusy >= FULL) return 'CPU of the gateway';
  if (machineBusy >= FULL) return 'CPU of the machine';
  if (upstreamBusy >= FULL) return 'CPU of the platform';
  if (maxInFlight >= connections * processes) return 'connections to the platform';
  return 'waiting for the platform';
}
