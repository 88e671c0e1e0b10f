import { InputError } from '../core/errors.ts';
import type { RuleKey } from './records.ts';

const MAX_ID_LENGTH = 256;

/**
 * Builds an upstream path from a template: literals stay, each value becomes one percent-encoded segment.
 *
 *     path`/forms/${formId}/instances`
 *
 * @throws {InputError} for a value that would not survive as one segment: servers resolve empty and dot
 *   segments away, and the call would reach another resource.
 */
export function path(literals: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw(
    { raw: literals },
    ...values.map((value) => encodeURIComponent(checkId(value))),
  );
}

/**
 * Joins a rule's component and version by one hyphen, as the interface's rule paths do.
 *
 * @throws {InputError} for a part that is no id, and for a hyphen in the version: `a-b`+`1` and
 *   `a`+`b-1` would be the same rule.
 */
export function joinRule({ component, version }: RuleKey): string {
  if (version.includes('-')) {
    throw new InputError('The rule version contains a hyphen, so its path would be ambiguous.');
  }
  return `${checkId(component)}-${checkId(version)}`;
}

/**
 * Gives back an id that the interface types as an integer or a long.
 *
 * @throws {InputError} when it is not a plain decimal integer of 64 bits.
 */
export function checkInt64(name: string, value: string): string {
  if (!isInt64(value)) throw new InputError(`${name} must be a decimal integer of 64 bits.`);
  return value;
}

/** Whether a text is a plain decimal integer of 64 bits. */
export function isInt64(value: string): boolean {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(value)) return false;
  // Eighteen digits always fit, and most ids have fewer.
  return value.length < 19 || BigInt.asIntN(64, BigInt(value)) === BigInt(value);
}

/** Whether a text survives as one segment of a path. */
export function isId(value: string): boolean {
  if (value === '' || value === '.' || value === '..' || value.length > MAX_ID_LENGTH) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  return value.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f]/.test(value);
}

function checkId(value: string): string {
  if (!isId(value))
    throw new InputError(
      `This is not an id: it is empty, longer than ${MAX_ID_LENGTH} characters, or contains characters that no id may have.`,
    );
  return value;
}
