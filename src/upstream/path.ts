import { InputError } from '../core/errors.ts';
import type { RuleKey } from './records.ts';

const MAX_ID_LENGTH = 256;

/**
 * Builds an upstream path from a template. Each value becomes one percent-encoded segment.
 *
 * ```
 * path`/forms/${formId}/instances`
 * ```
 *
 * @throws {InputError} for a value that is not a valid segment. Servers resolve empty and dot
 *   segments, so the call would reach another resource.
 */
export function path(literals: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw(
    { raw: literals },
    ...values.map((value) => encodeURIComponent(checkId(value))),
  );
}

/**
 * Joins a rule's component and version with a hyphen, as in the interface's rule paths.
 *
 * @throws {InputError} for an invalid id, and for a hyphen in the version: `a-b`+`1` and
 *   `a`+`b-1` would be the same rule.
 */
export function joinRule({ component, version }: RuleKey): string {
  if (version.includes('-')) {
    throw new InputError('The rule version contains a hyphen, so its path would be ambiguous.');
  }
  return `${checkId(component)}-${checkId(version)}`;
}

/**
 * Returns an id that the interface defines as an integer or a long.
 *
 * @throws {InputError} if it is not a decimal integer of 64 bits.
 */
export function checkInt64(name: string, value: string): string {
  if (!isInt64(value)) throw new InputError(`${name} must be a decimal integer of 64 bits.`);
  return value;
}

/** Returns whether a text is a decimal integer of 64 bits. */
export function isInt64(value: string): boolean {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(value)) return false;
  // Eighteen digits always fit. Most ids have fewer.
  return value.length < 19 || BigInt.asIntN(64, BigInt(value)) === BigInt(value);
}

/** Returns whether a text is valid as one segment of a path. */
export function isId(value: string): boolean {
  if (value === '' || value === '.' || value === '..' || value.length > MAX_ID_LENGTH) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters.
  return value.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f]/.test(value);
}

function checkId(value: string): string {
  if (!isId(value))
    throw new InputError(
      `This is not an id: it is empty, longer than ${MAX_ID_LENGTH} characters, or contains characters that no id may have.`,
    );
  return value;
}
