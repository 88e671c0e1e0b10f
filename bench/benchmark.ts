/** One figure that a benchmark found. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** `timed`: depends on how busy the machine is, so that a short run only prints it. `counted`: must always hold. */
  readonly kind: 'timed' | 'counted';
}

/** What a run gave, where figures alone do not say it. */
export interface Findings {
  readonly figures: readonly Figure[];
  /** Markdown, printed and kept below the figures. */
  readonly text: string;
  /** What is kept beside the report, by the file's name, such as charts. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface RunOptions {
  readonly isShort: boolean;
  /** Whether what is found is kept: files that later runs are compared with are written anew. */
  readonly isSaved: boolean;
}

export interface Benchmark {
  readonly name: string;
  /** One sentence for `--help`. */
  readonly about: string;
  /** Not one of `all`: it compares, takes minutes, and may need what is not installed. */
  readonly isApart?: boolean;
  run(options: RunOptions): Promise<readonly Figure[] | Findings>;
}

/** A figure that depends on how fast the machine is at the moment. */
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

type Bound = Pick<Figure, 'atLeast' | 'atMost'>;

/** Whether a figure is within its bounds; `undefined` when it has none. */
export function isMet({ value, atLeast, atMost }: Figure): boolean | undefined {
  if (atLeast === undefined && atMost === undefined) return undefined;
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
}
