/** A decimal number as a text, without an exponent. */
const DECIMAL = /^-?\d+(\.\d+)?$/;

export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/** Writes a number with all its digits and no exponent, as the shortest text that is this number. */
export function toDecimal(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  const [, sign = '', whole = '', fraction = '', power = ''] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (power === '') return text;
  const digits = whole + fraction;
  const point = 1 + Number(power);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
}

/** Gives a decimal as a number where a number has all its digits; else as it is. */
export function toExactNumber(text: string): number | string {
  const value = Number(text);
  return toDecimal(value) === withoutPadding(text) ? value : text;
}

function withoutPadding(text: string): string {
  const trimmed = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  const plain = trimmed.replace(/^(-?)0+(?=\d)/, '$1');
  return plain === '-0' ? '0' : plain;
}

/** Compares two decimals by all their digits: below 0 where the first is less, above where it is more. */
export function compareDecimals(one: string, other: string): number {
  const places = Math.max(...[one, other].map((text) => splitDecimal(text)[1].length));
  const [first = 0n, second = 0n] = [one, other].map((text) => {
    const [whole, fraction] = splitDecimal(text);
    return BigInt(whole + fraction.padEnd(places, '0'));
  });
  return first < second ? -1 : Number(first > second);
}

function splitDecimal(text: string): readonly [whole: string, fraction: string] {
  const [whole = '0', fraction = ''] = text.split('.');
  return [whole, fraction];
}
