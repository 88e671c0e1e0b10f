/** A number, or a number for each value of a label. */
type GaugeValue = number | Readonly<Record<string, number>>;

/** A figure for `/metrics` and `/status`, read each time. */
export interface Gauge {
  /** As Prometheus names it, with the unit at its end. */
  readonly name: string;
  readonly help: string;
  /** A `counter` only grows. */
  readonly type: 'gauge' | 'counter';
  /** The name of its label, where it has one. */
  readonly label?: string;
  read(): GaugeValue | Promise<GaugeValue>;
}

export const gauge = (name: string, help: string, read: Gauge['read']): Gauge => ({
  name,
  help,
  type: 'gauge',
  read,
});

/** A figure that only grows, whose name ends in `_total`. */
export const counter: typeof gauge = (...of) => ({ ...gauge(...of), type: 'counter' });

/** A condition of the gateway's readiness. */
export interface ReadinessCheck {
  /** Its member of `checks` in `/readyz`. */
  readonly name: string;
  /** Resolves to `ok`, or to a word for what is wrong. */
  read(): Promise<string> | string;
  /** Whether the gateway is not ready while this is not `ok`. */
  readonly isRequired: boolean;
  /** The problem while it is not `ok`, for a person. */
  readonly problem?: string;
}

/** Something that an operator should know and that is no figure. */
export interface StatusLine {
  readonly title: string;
  readonly text: string;
}

/** The state that the parts of a gateway report. Those who show it read it here and know no part. */
export interface Facts {
  readonly gauges: Gauge[];
  readonly readiness: ReadinessCheck[];
  readonly status: (() => readonly StatusLine[])[];
}
