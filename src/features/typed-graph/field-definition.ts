import { isDecimal } from '../../core/decimal.ts';
import { isJsonObject, type Json, type JsonObject, pick, pickText } from '../../core/json.ts';
import { kindOf } from '../../upstream/decoders.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import type { FieldKind, FieldRecord } from '../../upstream/records.ts';
import { toExactNumber } from './exact-numbers.ts';

type FormDialect = Dialect['form'];

/** An option of a choice. */
export interface ChoiceRecord {
  readonly value: string | number | boolean;
  readonly label?: string | undefined;
}

/** A field with the constraints of its values. */
export interface FieldDefinition extends Omit<FieldRecord, 'definition'> {
  /** `undefined` if the platform states no type, or a type that the dialect does not know. */
  readonly kind: FieldKind | undefined;
  /** The options that are plain values. `options` contains them in the platform's notation. */
  readonly choices?: readonly ChoiceRecord[] | undefined;
  /** The display unit of a number. */
  readonly unit?: string | undefined;
  /** The maximum length in characters. */
  readonly maxLength?: number | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Decodes a field's definition: the kind, options, unit and limits of its values. */
export function decodeFieldDefinition(
  { definition, ...record }: FieldRecord,
  form: FormDialect,
): FieldDefinition {
  return {
    ...record,
    kind: kindOf(record.type, form),
    choices: record.options?.flatMap((option) => decodeChoice(option, form)),
    unit: pickText(definition, ['unit']),
    ...limitsOf(definition, form),
  };
}

/** Reads the limits of a field. Platforms use 0, -1 or an impossible range for "no limit". */
function limitsOf(definition: JsonObject, form: FormDialect) {
  const maxLength = pickNumber(definition, form.fieldMaxLength) ?? 0;
  const min = pickNumber(definition, form.fieldMin);
  const max = pickNumber(definition, form.fieldMax);
  const isRange = min === undefined || max === undefined || min < max || (min === max && min !== 0);
  return { maxLength: maxLength < 1 ? undefined : maxLength, ...(isRange && { min, max }) };
}

function decodeChoice(option: Json, { optionValue, optionLabel }: FormDialect): ChoiceRecord[] {
  const value = isJsonObject(option) ? pick(option, optionValue) : option;
  if (value === undefined || value === null || typeof value === 'object') return [];
  return [{ value, label: isJsonObject(option) ? pickText(option, optionLabel) : undefined }];
}

/**
 * Reads a number, or a number in a string. A limit that a double cannot represent exactly is
 * ignored, and the platform enforces it.
 */
function pickNumber(field: JsonObject, names: readonly string[]): number | undefined {
  const value = pick(field, names);
  const number = typeof value === 'string' && isDecimal(value) ? toExactNumber(value) : value;
  return typeof number === 'number' ? number : undefined;
}
