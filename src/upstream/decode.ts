/** Character sets that a platform may answer in. Any other is not guessed at. */
const CHARSETS: readonly string[] = [
  'utf-8',
  'utf8',
  'us-ascii',
  'iso-8859-1',
  'latin1',
  'windows-1252',
  'utf-16',
  'utf-16le',
  'utf-16be',
];

/**
 * Decodes a body by the charset of its content type, strictly and without its byte order mark; UTF-8 where none is said.
 * `undefined` when it is something else.
 */
export function decode(chunks: readonly Buffer[], contentType: string | undefined): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (!CHARSETS.includes(charset)) return undefined;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(joined(chunks));
  } catch {
    return undefined;
  }
}

/** Decodes what can be decoded: of an error's body any word helps, and none is needed. */
export const decodeLoosely = (chunks: readonly Buffer[]): string => new TextDecoder().decode(joined(chunks));

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}
