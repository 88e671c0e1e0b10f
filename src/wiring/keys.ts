/** Keys of 32 bytes: at least one. */
export type Keys = readonly [Uint8Array, ...Uint8Array[]];

/** Reads keys from the text of the setting `name`, and adds to the problems; `undefined` where there are none. */
export function readKeys(name: string, text: string | undefined, problems: string[]): Keys | undefined {
  const keys = listOf(text).map((entry) => new Uint8Array(Buffer.from(entry, 'base64')));
  const wrong = keys.findIndex(({ length }) => length !== 32);
  if (wrong !== -1) problems.push(`${name}: entry ${wrong + 1} must be 32 bytes in base64 or base64url`);
  const [first, ...others] = keys;
  return first === undefined ? undefined : [first, ...others];
}

/** Reads a list: entries with commas or ends of line between them. */
export const listOf = (text = ''): string[] =>
  text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
