/** The end of a warm-up. */
export interface WarmUp {
  /** The fewest requests of a workload before it may count as warm, by name. */
  readonly minRequests: Readonly<Record<string, number>>;
  /** The number of rounds in a row whose CPU time must be about equal. */
  readonly equalRounds: number;
  /** The highest difference between these rounds, as a part of the cheapest. */
  readonly atMost: number;
  /** After this many rounds the warm-up ends in any case. */
  readonly maxRounds: number;
}

/** The warm-up of one workload in one process. */
export interface Warmed {
  readonly requests: number;
  /** Whether the CPU time per request stopped changing. */
  readonly isSteady: boolean;
}

/** One round of requests. */
interface Round {
  readonly requests: number;
  /** The CPU time for 1,000 responses in milliseconds. */
  readonly cpuMs: number;
}

/**
 * Sends rounds of a workload until the process has compiled its code. V8 compiles by the number of
 * calls, so a fixed time would warm a slow server less than a fast one.
 *
 * @param play sends a round with at least this number of requests.
 */
export async function warm(
  workload: string,
  { minRequests, equalRounds, atMost, maxRounds }: WarmUp,
  play: (minRequests: number) => Promise<Round>,
): Promise<Warmed> {
  const rounds = [await play(minRequests[workload] ?? 0)];
  const isSteady = () => {
    const last = rounds.slice(-equalRounds).map(({ cpuMs }) => cpuMs);
    return last.length === equalRounds && Math.max(...last) <= Math.min(...last) * (1 + atMost);
  };
  while (!isSteady() && rounds.length < maxRounds) rounds.push(await play(0));
  const requests = rounds.reduce((sum, round) => sum + round.requests, 0);
  return { requests, isSteady: isSteady() };
}
