const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Whether a text is a decimal number without an exponent. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/** A number as JSON and GraphQL write it, and as platforms do besides: `.5`, `5.` and `+5`. */
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;
/** Moves the point further than in any double, and makes no megabytes of a few characters. */
const MAX_EXPONENT = 1_000;

/** Writes a number digit by digit, without an exponent; `undefined` for what is none, or has an exponent beyond ±1,000. */
export function writeOut(text: string): string | undefined {
  if (isDecimal(text)) return text;
  const [, mark, whole = '', fraction = '', power = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  if (digits === '' || Math.abs(Number(power)) > MAX_EXPONENT) return undefined;
  const sign = mark === '-' ? mark : '';
  const point = whole.length + Number(power);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const before = digits
    .slice(0, point)
    .padEnd(point, '0')
    .replace(/^0+(?=\d)/, '');
  return point < digits.length ? `${sign}${before}.${digits.slice(point)}` : sign + before;
}

/** Writes a number with all its digits and no exponent, as the shortest text that is this number. */
export const toDecimal = (value: number): string => writeOut(String(value)) ?? String(value);

/** Gives digits without the zeros at their end. The pattern /0+$/ takes quadratic time where the zeros are not at the end. */
export function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
