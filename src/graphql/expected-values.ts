import { ConflictError, UpstreamError } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { fieldValue } from '../upstream/field-value.ts';
import type { InstanceContent, InstanceKey } from '../upstream/records.ts';
import { getFormIntance, INSTANCES } from '../upstream/resources/instances.ts';
import type { ChangeCheck, OperationContext } from './context.ts';
import type { InputCheck } from './entity-fields.ts';
import { ViolationError } from './violations.ts';

/** A value that an instance must have before it is changed. */
export class ExpectedValue {
  /** The platform's name of the field. */
  readonly field: string;
  readonly value: Json;
  /** Whether the form is known to have the field. */
  readonly isDefined: boolean;
  readonly #isEqual: (stored: Json | undefined) => boolean;

  /** @param isEqual compares the expected value with the stored one of a defined field. */
  constructor(field: string, value: Json, isEqual?: (stored: Json | undefined) => boolean) {
    this.field = field;
    this.value = value;
    this.isDefined = isEqual !== undefined;
    this.#isEqual = isEqual ?? ((stored) => isSameJson(value, stored));
  }

  /** @throws {UpstreamError} if the stored value cannot be read. */
  isMetBy(content: InstanceContent, { dialect }: OperationContext): boolean {
    return this.#isEqual(fieldValue(content, this.field, dialect));
  }
}

/** Whether no value is stored. Some platforms keep an empty text for a field without a value. */
export const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || value === '';

/** Whether two values are the same JSON. `12.5` is `12.50`, and a member without a value is absent. */
export function isSameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (isUnset(one) || isUnset(other)) return isUnset(one) && isUnset(other);
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isSameJson(item, other[index]))
    );
  }
  if (isJsonObject(one)) {
    if (!isJsonObject(other)) return false;
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return names.values().every((name) => isSameJson(one[name], other[name]));
  }
  return one === other;
}

/**
 * Returns the expected values of an input. The generic graph gives values by field. The typed graph
 * has read them before.
 */
const toExpectedValues = (expected: object): readonly ExpectedValue[] =>
  Array.isArray(expected)
    ? expected
    : Object.entries(expected as JsonObject).map(
        ([field, value]) => new ExpectedValue(field, value),
      );

/**
 * Creates the check of the values that a client expects of an instance. It takes one call, which a
 * 304 may answer.
 */
export const EXPECTED: InputCheck<InstanceKey> = { operation: getFormIntance.name, create };

function create(expected: object, key: InstanceKey, context: OperationContext): ChangeCheck {
  const values = toExpectedValues(expected);
  return {
    input: values.map(({ field, value }) => [field, value]),
    async run() {
      const instance = await context.latest().load(INSTANCES, key);
      if (instance?.content === undefined)
        throw new UpstreamError('not-found', { operation: getFormIntance.name, status: 404 });
      const { content } = instance;
      checkFields(values, content);
      const different = values.filter((value) => !value.isMetBy(content, context));
      if (different.length === 0) return;
      throw new ConflictError(
        different.map(({ field }) => field),
        instance,
      );
    },
  };
}

/** @throws {ViolationError} for names that are neither in the instance nor in its definition. */
function checkFields(expected: readonly ExpectedValue[], { values, fields }: InstanceContent) {
  const unknown = expected.filter(
    ({ field, isDefined }) => !(isDefined || fields?.has(field) || Object.hasOwn(values, field)),
  );
  if (unknown.length === 0) return;
  const [constraint, message] = ['kind', 'must be a field of the form'] as const;
  throw new ViolationError(
    unknown.map(({ field }) => ({ path: ['input', 'expected', field], constraint, message })),
  );
}
