/** What a JSON string cannot hold as it is; halves of surrogate pairs are escaped, so that the answer is UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Writes a text as JSON, faster than the general way where nothing has to be escaped. */
export const quote = (text: string): string => (ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`);
