const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Returns whether a text is a decimal number without an exponent. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/** A number as in JSON and GraphQL. Some platforms also write `.5`, `5.` and `+5`. */
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;
/** No double needs this many zeros. */
const MAX_ZEROS = 1_000;
/**
 * The highest number of zeros for an exponent in a client's number. A short request must not become
 * a long text.
 */
export const MAX_CLIENT_ZEROS = 60;

/**
 * Writes a number digit by digit, without an exponent.
 *
 * @returns `undefined` if the text is not a number, or if its exponent needs more than `maxZeros`
 *   zeros.
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

/**
 * Removes the zeros at the end. A loop, because `/0+$/` takes quadratic time if the zeros are in
 * the middle.
 */
export function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
