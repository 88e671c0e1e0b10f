type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * Parses JSON so that two texts are equal where they say the same: numbers by all their digits,
 * strings told from numbers.
 */
export function parseExact(text: string): unknown {
  const keep: Reviver = (_name, value, { source = '' }) => {
    if (typeof value === 'number') return `#${exactNumber(source)}`;
    return typeof value === 'string' ? `"${value}` : value;
  };
  return JSON.parse(text, keep as Parameters<typeof JSON.parse>[1]);
}

/** Writes a number of any length so that equal ones are equal texts. */
export function exactNumber(text: string): string {
  const found = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text);
  if (found === null) throw new Error(`${text} is no number`);
  const [, sign = '', whole = '', fraction = '', power = '0'] = found;
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  return short === ''
    ? '0'
    : `${sign}${short}e${Number(power) - fraction.length + digits.length - short.length}`;
}
