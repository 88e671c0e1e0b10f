import {
  type Arbitrary,
  array,
  bigInt,
  boolean,
  constant,
  constantFrom,
  date,
  float,
  integer,
  jsonValue,
  oneof,
  option,
  string,
  tuple,
} from 'fast-check';

import type { PlainKind, TypedField } from '../../../../src/features/typed-graph/typed-form.ts';
import { exactNumber, parseExact } from './exact-json.ts';

/**
 * A value as a client gives it, and what of it may reach the platform, as `parseExact` reads it.
 */
export interface Planned {
  readonly field: TypedField;
  readonly given: unknown;
  readonly wire: readonly unknown[];
}

type Plan = readonly [given: unknown, ...wire: readonly unknown[]];

const asItIs = (given: unknown): Plan => [given, parseExact(JSON.stringify(given))];
const digits = (given: string): Plan => [given, `#${exactNumber(given)}`];

/**
 * A decimal goes as a number where a number has all its digits, and else as the text that it is.
 */
function decimal(given: string): Plan {
  const isExact = exactNumber(String(Number(given))) === exactNumber(given);
  return [given, isExact ? `#${exactNumber(given)}` : `"${given}`];
}

const int64 = bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const year = {
  min: new Date('1900-01-01T00:00:00Z'),
  max: new Date('2100-01-01T00:00:00Z'),
  noInvalidDate: true,
};
const moment = tuple(date(year), constantFrom('Z', '+00:00', '+0000'));

const PLANS: Readonly<Record<PlainKind, Arbitrary<Plan>>> = {
  text: string({ unit: 'binary', maxLength: 20 }).map(asItIs),
  int: integer().map(asItIs),
  long: oneof(integer().map(BigInt), int64).map((value) => digits(String(value))),
  float: float({ noNaN: true, noDefaultInfinity: true }).map(asItIs),
  decimal: oneof(
    integer().map(String),
    tuple(integer(), integer({ min: 0, max: 999_999 })).map((parts) => parts.join('.')),
    tuple(int64, int64).map(([whole, fraction]) => `${whole}.${String(fraction).replace('-', '')}`),
    constantFrom('-0', '0.00', '007.50', '123456789012345678901234567890', '0.1'),
  ).map(decimal),
  boolean: boolean().map(asItIs),
  date: date(year).map((day) => asItIs(day.toISOString().slice(0, 10))),
  datetime: moment.map(([at, offset]) => [
    at.toISOString().replace('Z', offset),
    `"${at.toISOString()}`,
  ]),
  // A double may have rounded a longer one already, so that it is refused.
  json: jsonValue()
    .filter((value) => !/\d{16}|e\+/.test(JSON.stringify(value)))
    .map(asItIs),
};

/** Any value that the type of a field's input admits, but `null`. */
function planOf(field: TypedField): Arbitrary<Plan> {
  const plan = planOfOne(field);
  if (!field.isList) return plan;
  return array(plan, { maxLength: 3 }).map((plans): Plan => {
    const [given, wire] = [plans.map(([value]) => value), plans.map(([, value]) => value)];
    return [given, wire];
  });
}

function planOfOne({ shape }: TypedField): Arbitrary<Plan> {
  if (shape.kind === 'reference') {
    return oneof(
      int64.map((id) => digits(String(id))),
      constantFrom<Plan>(['ACME', '"ACME'], ['007', '"007']),
    );
  }
  if (shape.kind !== 'choice') return PLANS[shape.kind];
  const choices = [...shape.choices.values()];
  return constantFrom(
    ...choices.map(({ name, value }): Plan => [name, parseExact(JSON.stringify(value))]),
  );
}

/**
 * Returns random values that an input type admits. With `isWhole` all required fields have a value.
 */
export function anyInput(
  fields: readonly TypedField[],
  isWhole: boolean,
): Arbitrary<readonly Planned[]> {
  const each = fields.map((field): Arbitrary<readonly Planned[]> => {
    const isDue = isWhole && field.record.required === true;
    const plan = isDue
      ? planOf(field)
      : oneof({ weight: 5, arbitrary: planOf(field) }, constant<Plan>([null, null]));
    const value = plan.map(([given, ...wire]) => [{ field, given, wire }]);
    return isDue ? value : option(value, { nil: [], freq: 3 });
  });
  return tuple(...each).map((found) => found.flat());
}
