/** A number, or a number for each value of a label. */
type GaugeValue = number | Readonly<Record<string, number>>;

/** A figure for `/metrics` and `/status`. It is read for each request to these pages. */
export interface Gauge {
  /** The Prometheus name, with the unit at its end. */
  readonly name: string;
  readonly help: string;
  /** A `counter` only increases. */
  readonly type: 'gauge' | 'counter';
  /** The name of the label, if the gauge has one. */
  readonly label?: string;
  read(): GaugeValue | Promise<GaugeValue>;
}

export const gauge = (name: string, help: string, read: Gauge['read']): Gauge => ({
  name,
  help,
  type: 'gauge',
  read,
});

/** Creates a figure that only increases. Its name ends in `_total`. */
export const counter: typeof gauge = (...of) => ({ ...gauge(...of), type: 'counter' });

/** A condition for the readiness of the gateway. */
export interface ReadinessCheck {
  /** The member of `checks` in `/readyz`. */
  readonly name: string;
  /** Resolves to `ok`, or to a word for the problem. */
  read(): Promise<string> | string;
  /** Whether the gateway is not ready until the condition is `ok`. */
  readonly isRequired: boolean;
  /** A sentence for operators, shown while the condition is not `ok`. */
  readonly problem?: string;
}

/** Information for operators that is not a number. */
export interface StatusLine {
  readonly title: string;
  readonly text: string;
}

/**
 * The state that the parts of a gateway report. `/metrics`, `/readyz` and `/status` read it here,
 * so they do not depend on the parts.
 */
export interface Facts {
  readonly gauges: Gauge[];
  readonly readiness: ReadinessCheck[];
  readonly status: (() => readonly StatusLine[])[];
}
