import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
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
import { expect, it } from 'vitest';

import { composeSchema } from '../../../src/features/typed-graph/compose.ts';
import type {
  PlainKind,
  TypedField,
  TypedForm,
} from '../../../src/features/typed-graph/typed-form.ts';
import { SEED, TIMEOUT_MS, VALUES } from '../../compare/support/settings.ts';
import { type GraphqlAnswer, startGateway } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { dialectOf } from '../../upstream/support/open.ts';
import { exactNumber, parseExact } from './support/exact-json.ts';
import { anyForms } from './support/random-forms.ts';

/** A value as a client gives it, and as the platform must receive it, read by `parseExact`. */
type Value = readonly [given: unknown, wire: unknown];

/** A change of an instance: the values of its fields. */
interface Change {
  readonly form: TypedForm;
  readonly verb: 'create' | 'update';
  readonly values: ReadonlyMap<TypedField, Value>;
}

const unchanged = (given: unknown): Value => [given, parseExact(JSON.stringify(given))];
const digits = (given: string): Value => [given, `#${exactNumber(given)}`];

/** A decimal is sent as a number if a number has all its digits, and else as a text. */
const decimal = (given: string): Value =>
  exactNumber(String(Number(given))) === exactNumber(given) ? digits(given) : [given, `"${given}`];

const int64 = bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const day = date({
  min: new Date('1900-01-01T00:00:00Z'),
  max: new Date('2100-01-01T00:00:00Z'),
  noInvalidDate: true,
});

const PLAIN: Readonly<Record<PlainKind, Arbitrary<Value>>> = {
  text: string({ unit: 'binary', maxLength: 20 }).map(unchanged),
  int: integer().map(unchanged),
  long: oneof(integer().map(String), int64).map(digits),
  float: float({ noNaN: true, noDefaultInfinity: true }).map(unchanged),
  decimal: oneof(
    integer().map(String),
    tuple(integer(), integer({ min: 0, max: 999_999 })).map((parts) => parts.join('.')),
    tuple(int64, int64).map(([whole, fraction]) => `${whole}.${fraction.replace('-', '')}`),
    constantFrom('-0', '0.00', '007.50', '123456789012345678901234567890', '0.1'),
  ).map(decimal),
  boolean: boolean().map(unchanged),
  date: day.map((at) => unchanged(at.toISOString().slice(0, 10))),
  datetime: tuple(day, constantFrom('Z', '+00:00', '+0000')).map(([at, offset]) => [
    at.toISOString().replace('Z', offset),
    `"${at.toISOString()}`,
  ]),
  // A double may have rounded a longer one already, so that it is refused.
  json: jsonValue()
    .filter((value) => !/\d{16}|e\+/.test(JSON.stringify(value)))
    .map(unchanged),
};

/** Any value that the type of a field's input admits, but `null`. */
function anyValue({ shape, isList }: TypedField): Arbitrary<Value> {
  const one = anyOf(shape);
  if (!isList) return one;
  return array(one, { maxLength: 3 }).map((values) => [
    values.map(([given]) => given),
    values.map(([, wire]) => wire),
  ]);
}

function anyOf(shape: TypedField['shape']): Arbitrary<Value> {
  if (shape.kind === 'reference')
    return oneof(int64.map(digits), constantFrom('ACME', '007').map(unchanged));
  if (shape.kind !== 'choice') return PLAIN[shape.kind];
  const choices = [...shape.choices.values()];
  return constantFrom(
    ...choices.map(({ name, value }): Value => [name, parseExact(JSON.stringify(value))]),
  );
}

/** Any change that the input type admits. A new instance has values in all required fields. */
function anyChange(form: TypedForm, verb: Change['verb']): Arbitrary<Change> {
  const entries = form.fields.map((field): Arbitrary<readonly [TypedField, Value][]> => {
    const isDue = verb === 'create' && field.record.required === true;
    const value = oneof(
      { weight: 5, arbitrary: anyValue(field) },
      { weight: isDue ? 0 : 1, arbitrary: constant<Value>([null, null]) },
    );
    const entry = value.map((one): [TypedField, Value][] => [[field, one]]);
    return isDue ? entry : option(entry, { nil: [], freq: 3 });
  });
  return tuple(...entries).map((all) => ({ form, verb, values: new Map(all.flat()) }));
}

const dialect = dialectOf();

/** Any forms, and for each two new instances and two changes of one. */
const anyChanges = anyForms.chain((definitions) =>
  tuple(
    ...composeSchema(definitions, { dialect }).forms.flatMap((form) =>
      (['create', 'create', 'update', 'update'] as const).map((verb) => anyChange(form, verb)),
    ),
  ).map((changes) => ({ definitions, changes })),
);

/** Writes a mutation, with its variables. */
function toRequest({ form, verb, values }: Change) {
  const { field, values: type } = form.names.changes[verb];
  const id = verb === 'update' ? 'instanceId: 1' : 'idempotencyKey: null';
  // A form without fields takes no values.
  if (form.fields.length === 0)
    return { query: `mutation { ${field}(input: { ${id} }) { __typename } }`, variables: {} };
  const given = [...values].map(([{ name }, [value]]) => [name, value]);
  return {
    query: `mutation ($values: ${type}!) { ${field}(input: { ${id} values: $values }) { __typename } }`,
    variables: { values: Object.fromEntries(given) },
  };
}

/** The values as the platform must receive them. */
const toWire = ({ values }: Change) =>
  Object.fromEntries([...values].map(([{ record }, [, wire]]) => [record.name, wire]));

/** Expects that each violation names a submitted value and a constraint of its definition. */
function expectRefused(errors: NonNullable<GraphqlAnswer['errors']>, change: Change): void {
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  const violations: Violation[] = errors[0]?.extensions['violations'] ?? [];
  for (const violation of violations) expectViolated(violation, change);
}

interface Violation {
  readonly path: readonly string[];
  readonly constraint: 'kind' | 'minItems' | 'required' | 'min' | 'max' | 'maxLength';
  readonly limit?: number;
}

function expectViolated({ path, constraint, limit }: Violation, { values }: Change): void {
  const [field, value] = [...values].find(([{ name }]) => name === path[2]) ?? [];
  const [given, wire] = value ?? [];
  const { record, shape } = field ?? {};
  switch (constraint) {
    case 'kind': {
      // A reference with a text that is no id, or a float that the client may have rounded.
      expect(['reference', 'float']).toContain(shape?.kind);
      const isWrong = (one: unknown) =>
        shape?.kind === 'float'
          ? Number.isInteger(one) && !Number.isSafeInteger(one)
          : String(one).startsWith('"');
      expect([shape?.kind === 'float' ? given : wire].flat().some(isWrong)).toBe(true);
      return;
    }
    case 'minItems':
      expect([record?.required, wire]).toEqual([true, []]);
      return;
    case 'required':
      expect(record?.required).toBe(true);
      return;
    default:
      expect(record?.[constraint]).toBe(limit);
  }
}

it(
  'any input that a form’s input type admits reaches the platform with every digit, or is rejected by the definition’s constraints without a call',
  async () => {
    const outcomes = new Set<string>();
    await assert(
      asyncProperty(anyChanges, async ({ definitions, changes }) => {
        const { seen, env } = await scriptPlatform(({ method, url }) => {
          if (url.startsWith('/v1.0/forms?'))
            return { body: definitions.map(({ definition }) => definition) };
          return method === 'POST' ? { status: 201, body: { idInstance: 1 } } : { status: 202 };
        });
        const { execute, close } = await startGateway({ ...env, TYPED_FORMS: '*' });

        for (const change of changes) {
          seen.length = 0;
          const { query, variables } = toRequest(change);
          const { errors } = await execute(query, variables);
          const written = seen.map(({ body }) => parseExact(body));
          if (errors) expectRefused(errors, change);
          expect(written).toEqual(errors ? [] : [{ values: toWire(change) }]);
          outcomes.add(errors ? 'refused' : 'written');
        }
        await close();
      }),
      { numRuns: Math.ceil(VALUES / 40), seed: SEED, endOnFailure: true },
    );
    expect(outcomes).toEqual(new Set(['refused', 'written']));
  },
  TIMEOUT_MS,
);
