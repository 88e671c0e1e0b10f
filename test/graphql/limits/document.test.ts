import { array, check, constantFrom, property, string } from 'fast-check';
import { getIntrospectionQuery, Lexer, parse, Source, TokenKind } from 'graphql';
import { describe, expect, it } from 'vitest';

import { type DocumentLimits, findExcess } from '../../../src/graphql/limits/document.ts';
import { eachToken } from '../../../src/graphql/limits/tokens.ts';

const LIMITS: DocumentLimits = {
  tokens: 2_000,
  depth: 12,
  valueDepth: 64,
  aliases: 5,
  directives: 3,
  operations: 3,
  fragments: 3,
  variables: 3,
  listItems: 4,
  pairs: 3_000_000,
};
const times = (count: number, text: string) => text.repeat(count);

describe('a document', () => {
  const EXCESSES: readonly [what: string, text: string, words: RegExp][] = [
    ['of too many tokens', `{ ${times(2_000, 'a ')} }`, /tokens.*2001.*2000/],
    ['of too many comments', `{ a ${times(2_000, '#\n')} }`, /tokens.*2001.*2000/],
    ['that nests too deep', `${times(13, '{a')}${times(13, '}')}`, /levels of selections.*13.*12/],
    ['that is never closed', times(100_000, '{a'), /levels of selections/],
    ['with arguments that nest too deep', `{a(b:${times(65, '[')}`, /levels of lists.*65.*64/],
    ['with types that nest too deep', `query ($a: ${times(65, '[')}Int`, /levels of lists/],
    ['with objects that nest too deep', `{a(b:${times(65, '{c:')}`, /levels of lists/],
    ['with too many aliases', `{ ${times(6, 'x: a ')} }`, /aliases.*6.*5/],
    ['with too many directives', `{ a ${times(4, '@b ')} }`, /directives.*4.*3/],
    ['with too many operations', times(4, '{ a } '), /operations.*4.*3/],
    ['with too many fragments', `{ a } ${times(4, 'fragment F on Query { a } ')}`, /fragments.*4.*3/],
    ['with too many variables', 'query ($a: A, $b: A, $c: A, $d: A) { a }', /variables.*4.*3/],
    ['with too long a list', '{ a(b: [1, "", $c, {d: 4}, [5]]) }', /items in a list.*5.*4/],
  ];

  it.each(EXCESSES)('%s is refused, with both numbers', (_what, text, words) => {
    expect(findExcess(text, LIMITS)).toMatch(words);
  });

  it('with too many fields of one name is refused, wherever they stand', () => {
    const text = `{ ${times(6, '... on A { b: c @d(e: [a, a]) { a } ...a }')} }`;

    expect(findExcess(text, { ...LIMITS, aliases: 9, directives: 9, pairs: 30 })).toBeUndefined();
    expect(findExcess(text, { ...LIMITS, aliases: 9, directives: 9, pairs: 29 })).toMatch(/pairs of fields.*30.*29/);
  });

  const FITTING = [
    `${times(12, '{a')}${times(12, '}')}`,
    '{ a(b: {c: 1, d: {e: [{f: 2}]}}) }',
    'query A($a: A = {b: [1, 2, 3, 4]}, $b: [[A!]!], $c: A) { a(a: $a, b: $b, c: $c) @b(c: $c) } query B { a }',
    '{ a(b: "x: y: z: { { { {", c: """ \\""" { { @ @ @ @ """) { x: a } }',
    getIntrospectionQuery(),
    '',
    '}',
    '{ a(b: "never closed',
  ];

  it.each(FITTING)('within the limits, or no GraphQL at all, is left to the parser: %s', (text) => {
    expect(findExcess(text, { ...LIMITS, fragments: 5 })).toBeUndefined();
  });
});

describe('the pass over the tokens', () => {
  const PIECES = ['"', '"""', '\\', '\\"""', '\n', '\r', '#', 'a', ' ', '{', '}', '[', '$', '...', '.', '-1', '\uFEFF'];

  it('finds no token less than the parser does, whatever the text', () => {
    const texts = array(constantFrom(...PIECES), { maxLength: 40 });
    check(
      property(texts, string(), (pieces, other) => {
        const text = pieces.join('') + other;
        const found: string[] = [];
        eachToken(text, (token) => found.push(token) > 0);

        expect(found.filter((token) => !token.startsWith('#')).slice(0, lexed(text).length)).toEqual(lexed(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('agrees with the parser about a document', () => {
    let count = 0;
    eachToken(getIntrospectionQuery(), () => ++count > 0);

    expect(() => parse(getIntrospectionQuery(), { maxTokens: count })).not.toThrow();
    expect(() => parse(getIntrospectionQuery(), { maxTokens: count - 1 })).toThrow();
  });
});

/** The tokens up to the first that is none, as the parser sees them. */
function lexed(text: string): string[] {
  const lexer = new Lexer(new Source(text));
  const tokens: string[] = [];
  try {
    for (;;) {
      const { kind, start, end } = lexer.advance();
      if (kind === TokenKind.EOF) return tokens;
      tokens.push(text.slice(start, end));
    }
  } catch {
    return tokens;
  }
}
