const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Whether a text is a decimal number without an exponent. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/** A number as JSON and GraphQL write it, and as some platforms do: `.5`, `5.` and `+5`. */
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;
/** More zeros than any double needs. */
const MAX_ZEROS = 1_000;
/** How many zeros a client's exponent may stand for, so that short requests stay small. */
export const MAX_CLIENT_ZEROS = 60;

/**
 * Writes a number digit by digit, without an exponent.
 *
 * @returns `undefined` for a text that is not a number, or that needs more than `maxZeros` zeros in place of its exponent.
 */
export function writeOut(text: string, maxZeros = MAX_ZEROS): string | undefined {
  if (isDecimal(text)) return text;
  const [, mark, whole = '', fraction = '', power = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  if (digits === '') return undefined;
  const sign = mark === '-' ? mark : '';
  const point = whole.length + Number(power);
  if (Math.max(point - digits.length, 1 - point) > maxZeros) return undefined;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const before = digits
    .slice(0, point)
    .padEnd(point, '0')
    .replace(/^0+(?=\d)/, '');
  return point < digits.length ? `${sign}${before}.${digits.slice(point)}` : sign + before;
}

/** Gives digits without the zeros at their end. The pattern /0+$/ takes quadratic time where the zeros are not at the end. */
export function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
