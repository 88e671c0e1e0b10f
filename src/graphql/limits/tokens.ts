/** What stands between tokens, and the tokens of the language but strings. A comment counts: parsers keep it. */
const IGNORED = /[\uFEFF\t ,\r\n]*/y;
const TOKEN = /#[^\r\n]*|\.\.\.|[A-Za-z_][A-Za-z0-9_]*|-?[0-9][0-9.eE+-]*|[!$&()[\]{}:=@|]/y;
const STRING_PART = /[^"\\\r\n]*/y;

/**
 * Hands over a document's tokens one by one, in one pass and without recursion. It ends where `visit` gives `false`, and
 * before what is no token, which is left to the parser to refuse.
 */
export function eachToken(text: string, visit: (token: string) => boolean): void {
  let at = end(IGNORED, text, 0);
  while (at < text.length) {
    const next = text[at] === '"' ? endOfString(text, at) : end(TOKEN, text, at);
    if (next === at || !visit(text.slice(at, next))) return;
    at = end(IGNORED, text, next);
  }
}

/** Where a match that starts at a position ends; the position itself where there is none. */
function end(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function endOfString(text: string, at: number): number {
  return text.startsWith('"""', at) ? endOfBlock(text, at + 3) : endOfLine(text, at + 1);
}

function endOfBlock(text: string, from: number): number {
  let quotes = text.indexOf('"""', from);
  // The language escapes a triple quote by a backslash, and the backslash by nothing.
  while (quotes > from && text[quotes - 1] === '\\') quotes = text.indexOf('"""', quotes + 3);
  return quotes === -1 ? text.length : quotes + 3;
}

function endOfLine(text: string, from: number): number {
  let at = end(STRING_PART, text, from);
  while (text[at] === '\\') at = end(STRING_PART, text, at + 2);
  return text[at] === '"' ? at + 1 : at;
}
