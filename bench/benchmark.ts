/** A figure that a benchmark measured. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /**
   * `timed`: depends on the load of the machine, so a short run prints it and does not judge it.
   * `counted`: must hold in every run.
   */
  readonly kind: 'timed' | 'counted';
}

/** The result of a run that needs more than figures. */
export interface Findings {
  readonly figures: readonly Figure[];
  /** Markdown that is printed and saved below the figures. */
  readonly text: string;
}

export interface RunOptions {
  /** Runs for a few seconds only. Timed figures are printed, but do not decide. */
  readonly isShort: boolean;
  /**
   * Whether results are saved. Saving also rewrites the files that later runs are compared with.
   */
  readonly isSaved: boolean;
  /** The names of the workloads to run. Empty: all. */
  readonly workloads: readonly string[];
  /** The names of the servers to compare. Empty: the default ones. */
  readonly servers: readonly string[];
  /** The folder of another checkout to compare with. Empty: no comparison. */
  readonly against: string;
  /** The number of processes of each server. `undefined`: the default. */
  readonly processes: number | undefined;
}

export interface Benchmark {
  readonly name: string;
  /** One sentence for `--help`. */
  readonly about: string;
  /** Left out of `all`: a comparison that takes minutes and installs its own packages. */
  readonly isSeparate?: boolean;
  run(options: RunOptions): Promise<readonly Figure[] | Findings>;
}

type Bound = Pick<Figure, 'atLeast' | 'atMost'>;

/** Creates a figure that depends on the speed of the machine at the moment. */
export const timed = (name: string, value: number, unit: string, bound: Bound = {}): Figure => ({
  name,
  value,
  unit,
  ...bound,
  kind: 'timed',
});

/** Creates a figure that holds on any machine, however busy. */
export const counted = (name: string, value: number, unit: string, bound: Bound = {}): Figure => ({
  name,
  value,
  unit,
  ...bound,
  kind: 'counted',
});

/** Returns whether a figure is within its bounds, or `undefined` if it has no bounds. */
export function isMet({ value, atLeast, atMost }: Figure): boolean | undefined {
  if (atLeast === undefined && atMost === undefined) return undefined;
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
}

/**
 * Returns whether a run has passed: every figure is within its bounds. In a short run only the
 * counted figures matter.
 */
export function isPassed(figures: readonly Figure[], isShort: boolean): boolean {
  return figures.every((figure) => isMet(figure) !== false || (isShort && figure.kind === 'timed'));
}

/** Returns the value below which the share `q` of the values lies, or 0 without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/**
 * Returns the growth of a value per minute: the slope of the least-squares line through the points
 * `[milliseconds, value]`.
 */
export function slopePerMinute(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanMs = mean(points.map(([atMs]) => atMs));
  const meanValue = mean(points.map(([, value]) => value));
  const covariance = mean(points.map(([atMs, value]) => (atMs - meanMs) * (value - meanValue)));
  const variance = mean(points.map(([atMs]) => (atMs - meanMs) ** 2));
  return variance === 0 ? 0 : (covariance / variance) * 60_000;
}
