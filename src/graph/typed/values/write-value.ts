import type { Dialect } from '../../../upstream/dialect.ts';
import { type Json, writeInteger } from '../../../upstream/json.ts';
import type { Shape } from '../typed-form.ts';
import { toExactNumber } from './decimal.ts';

/** Makes a value of a typed input, which is of its type, what the platform takes for it. `null` empties a field. */
export type WriteValue = (value: unknown) => Json;

/** Makes the writer of a field's values. */
export function createWriteValue({ kind }: Shape, { form }: Dialect): WriteValue {
  const write = WRITERS(form)[kind] ?? asItIs;
  return (value) => (value === null ? null : write(value));
}

const asItIs: WriteValue = (value) => value as Json;

const WRITERS = ({
  writtenDecimal,
  writtenReference,
}: Dialect['form']): Partial<Record<Shape['kind'], WriteValue>> => ({
  long: (value) => writeInteger(String(value)),
  decimal: (value) => (writtenDecimal === 'text' ? String(value) : toExactNumber(String(value))),
  datetime: (value) => (value as Date).toISOString(),
  reference: (value) => (writtenReference === 'text' ? String(value) : writeInteger(String(value))),
});
