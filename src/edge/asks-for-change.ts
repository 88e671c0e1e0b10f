import { Lexer, Source, TokenKind } from 'graphql';

/** A document of more tokens is refused anyway. */
const MAX_TOKENS = 5_000;
const OPENING: readonly string[] = [TokenKind.BRACE_L, TokenKind.PAREN_L, TokenKind.BRACKET_L];
const CLOSING: readonly string[] = [TokenKind.BRACE_R, TokenKind.PAREN_R, TokenKind.BRACKET_R];

/**
 * Whether a document holds a mutation, or is one by the name that is asked for, told without parsing it. What is no document
 * holds none.
 */
export function asksForChange(document: unknown, operationName?: string): boolean {
  if (typeof document !== 'string') return false;
  try {
    return hasMutation(new Lexer(new Source(document)), operationName);
  } catch {
    return false;
  }
}

function hasMutation(lexer: Lexer, wanted: string | undefined): boolean {
  let depth = 0;
  let isFirst = true;
  for (let count = 0; count < MAX_TOKENS; count++) {
    const { kind, value } = lexer.advance();
    if (kind === TokenKind.EOF) return false;
    // A definition begins at the start, and where the one before it has closed its last brace.
    if (isFirst && value === 'mutation' && (wanted === undefined || lexer.lookahead().value === wanted)) return true;
    if (OPENING.includes(kind)) depth++;
    if (CLOSING.includes(kind)) depth--;
    isFirst = depth === 0 && kind === TokenKind.BRACE_R;
  }
  return false;
}
