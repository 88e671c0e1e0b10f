import type { Dialect } from '../../upstream/dialect.ts';
import { type Json, writeInteger } from '../../upstream/json.ts';
import type { Shape } from '../typed-form.ts';
import { toExactNumber } from './decimal.ts';

/** Makes a value of a typed input, which is of its type, what the platform takes for it. `null` empties a field. */
export type WriteValue = (value: unknown) => Json;

/** Makes what gives the writer of a field's values: fields of one kind share one. */
export function createWriters({ form }: Dialect): (shape: Shape) => WriteValue {
  const writers = new Map(
    Object.entries(writersFor(form)).map(([kind, write]) => [
      kind,
      (value: unknown) => (value === null ? null : write(value)),
    ]),
  );
  return ({ kind }) => writers.get(kind) ?? asItIs;
}

const asItIs: WriteValue = (value) => value as Json;

const writersFor = ({ writtenDecimal, writtenReference }: Dialect['form']) =>
  ({
    long: (value) => writeInteger(String(value)),
    decimal: (value) => (writtenDecimal === 'text' ? String(value) : toExactNumber(String(value))),
    datetime: (value) => (value as Date).toISOString(),
    reference: (value) => (writtenReference === 'text' ? String(value) : writeInteger(String(value))),
  }) as const satisfies Partial<Record<Shape['kind'], WriteValue>>;
