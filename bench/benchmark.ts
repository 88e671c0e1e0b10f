/** One figure that a benchmark measured. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** `timed`: depends on how busy the machine is, so a short run only prints it. `counted`: must always hold. */
  readonly kind: 'timed' | 'counted';
}

/** What a run found, where figures alone do not show it. */
export interface Findings {
  readonly figures: readonly Figure[];
  /** Markdown, printed and saved below the figures. */
  readonly text: string;
}

export interface RunOptions {
  /** A few seconds only; timed figures are printed but do not decide. */
  readonly isShort: boolean;
  /** Whether results are saved: files that later runs are compared with are written anew. */
  readonly isSaved: boolean;
  /** Names of workloads to run; empty for all. */
  readonly workloads: readonly string[];
  /** Names of servers to compare; empty for the usual ones. */
  readonly servers: readonly string[];
  /** The folder of another checkout to compare with; empty for none. */
  readonly against: string;
  /** How many processes of each server there are; `undefined` for the usual number. */
  readonly processes: number | undefined;
}

export interface Benchmark {
  readonly name: string;
  /** One sentence for `--help`. */
  readonly about: string;
  /** Not part of `all`: a comparison that takes minutes and installs packages of its own. */
  readonly isSeparate?: boolean;
  run(options: RunOptions): Promise<readonly Figure[] | Findings>;
}

type Bound = Pick<Figure, 'atLeast' | 'atMost'>;

/** A figure that depends on the speed of the machine at the moment. */
export const timed = (name: string, value: number, unit: string, bound: Bound = {}): Figure => ({
  name,
  value,
  unit,
  ...bound,
  kind: 'timed',
});

/** A figure that holds on any machine, however busy. */
export const counted = (name: string, value: number, unit: string, bound: Bound = {}): Figure => ({
  name,
  value,
  unit,
  ...bound,
  kind: 'counted',
});

/** Whether a figure is within its bounds; `undefined` when it has none. */
export function isMet({ value, atLeast, atMost }: Figure): boolean | undefined {
  if (atLeast === undefined && atMost === undefined) return undefined;
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
}

/** Whether a run has passed: every figure within its bounds, in a short run only the counted ones. */
export function isPassed(figures: readonly Figure[], isShort: boolean): boolean {
  return figures.every((figure) => isMet(figure) !== false || (isShort && figure.kind === 'timed'));
}

/** The value below which the share `q` of the values lies; 0 when there are none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** How much a value grows in a minute: the slope of the least-squares line through `[milliseconds, value]`. */
export function slopePerMinute(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanMs = mean(points.map(([atMs]) => atMs));
  const meanValue = mean(points.map(([, value]) => value));
  const covariance = mean(points.map(([atMs, value]) => (atMs - meanMs) * (value - meanValue)));
  const variance = mean(points.map(([atMs]) => (atMs - meanMs) ** 2));
  return variance === 0 ? 0 : (covariance / variance) * 60_000;
}
