/** A figure for the metrics, read at each scrape. */
export interface Figure {
  /** As Prometheus names it. */
  readonly name: string;
  readonly help: string;
  /** A `counter` only grows. */
  readonly type: 'gauge' | 'counter';
  read(): number;
}

/** A condition of the gateway's readiness. */
export interface Check {
  /** Its member of `checks` in `/readyz`. */
  readonly name: string;
  /** Resolves to `ok`, or to a word for what is wrong. */
  read(): Promise<string> | string;
  /** Whether the gateway is not ready while this is not `ok`. */
  readonly isRequired: boolean;
  /** What is wrong while it is not `ok`, for a person. */
  readonly problem?: string;
}

/** What an operator wants to know of one subject. */
export interface StatusSection {
  readonly title: string;
  readonly facts: readonly StatusFact[];
  readonly tables?: readonly StatusTable[];
}

export interface StatusFact {
  readonly name: string;
  readonly value: string;
  /** The used share of a limit, from 0 to 1. */
  readonly share?: number;
  /** Whether it needs attention. */
  readonly isWarning?: boolean;
}

export interface StatusTable {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Stands in place of rows. */
  readonly whenEmpty: string;
}

/** To the second, in UTC. */
export const formatTime = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');

export const formatCount = (count: number): string => count.toLocaleString('en-US');

/** What the parts of a gateway report of themselves. Those who show it read it here and know no part. */
export interface Facts {
  readonly figures: Figure[];
  readonly checks: Check[];
  /** In the order of the page. */
  readonly sections: (() => Promise<StatusSection> | StatusSection)[];
}
