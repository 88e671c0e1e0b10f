import { getIntrospectionQuery, Kind, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';

import { findSelectionExcess, findTextExcess } from '../../src/graphql/limits.ts';

const times = (count: number, text: string) => text.repeat(count);
const named = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');

describe('a document', () => {
  const EXCESSES: readonly [what: string, text: string, words: RegExp][] = [
    ['of too many tokens', `{ ${times(2_000, 'a ')} }`, /tokens.*2001.*2000/],
    ['that is nested too deeply', `${times(13, '{a')}${times(13, '}')}`, /levels of selections.*13.*12/],
    ['with too deeply nested arguments', `{a(b:${times(65, '[')}${times(65, ']')})}`, /levels of lists.*65.*64/],
    ['with too deeply nested types', `query ($a: ${times(65, '[')}Int${times(65, ']')}) {a}`, /levels of lists/],
    ['with too deeply nested objects', `{a(b:${times(65, '{c:')}1${times(65, '}')})}`, /levels of lists/],
    ['with too many aliases', `{ ${named(201, (n) => `x${n}: a`)} }`, /aliases.*201.*200/],
    ['with too many directives', `{ a ${times(101, '@b ')} }`, /directives.*101.*100/],
    ['with too many operations', named(51, (n) => `{ a${n} }`), /operations.*51.*50/],
    ['with too many fragments', `{ a } ${named(101, (n) => `fragment F on Query { a${n} }`)}`, /fragments.*101.*100/],
    ['with too many variables', `query (${named(101, (n) => `$a${n}: A`)}) { a }`, /variables.*101.*100/],
    ['with too long a list', `{ a(b: [${times(1_001, '1 ')}]) }`, /items in a list.*1001.*1000/],
    [
      'with too many objects of one response name',
      `{ ${times(142, '... on A { b: c { d } } ')} }`,
      /pairs of.*10001.*10000/,
    ],
    ['with too many fields of one name and arguments', `{ ${times(142, 'a { b(c: 1) } ')} }`, /pairs of.*10001.*10000/],
    ['that selects the schema twice', '{ __schema { __typename } a: __schema { __typename } }', /__schema.*2.*1/],
    ['that selects many types', `{ ${named(11, (n) => `t${n}: __type(name: "A") { name }`)} }`, /__type.*11.*10/],
  ];

  it.each(EXCESSES)('%s is rejected, with number and limit', (_what, text, words) => {
    expect(findTextExcess(text)?.message).toMatch(words);
  });

  it.each([
    `${times(12, '{a')}${times(12, '}')}`,
    '{ a(b: {c: 1, d: {e: [{f: 2}]}}) }',
    'query A($a: A = {b: [1, 2, 3, 4]}, $b: [[A!]!], $c: A) { a(a: $a, b: $b, c: $c) @b(c: $c) } query B { a }',
    '{ a(b: "x: y: z: { { { {", c: """ \\""" { { @ @ @ @ """) { x: a } }',
    getIntrospectionQuery(),
    // As clients send it that select `__typename` and `id` everywhere.
    `{ ${named(100, (n) => `a${n}: a(b: ${n}) { __typename id c { __typename id } }`)} }`,
    `{ a { ${times(1_900, 'id ')} } }`,
  ])('within the limits passes: %s', (text) => {
    expect(findTextExcess(text)).toBeUndefined();
  });

  it.each(['', '}', '{ a(b: "never closed', times(50_000, '{a').slice(0, 900)])(
    'with a syntax error is left to the server to reject: %s',
    (text) => {
      expect(findTextExcess(text)).toBeUndefined();
    },
  );

  it.each([times(100_000, '{a'), `{a(b:${times(100_000, '[')}`, `query ($a: ${times(100_000, '[')}`])(
    'with an unclosed part is rejected, however long it is',
    (text) => {
      expect(findTextExcess(text)?.message).toMatch(/tokens|levels of lists/);
    },
  );
});

describe('the selection count', () => {
  const check = (text: string) => {
    const document = parse(text);
    const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    return findSelectionExcess(document, operation as OperationDefinitionNode)?.message;
  };

  it('includes fragments at every place where they are spread', () => {
    const fragment = `fragment F on A { ${named(99, (n) => `c${n}`)} }`;

    expect(check(`{ a { ${times(49, '...F ')} } } ${fragment}`)).toBeUndefined();
    expect(check(`{ a { ${times(51, '...F ')} } } ${fragment}`)).toMatch(/selections, fragments put in: 5101 .* 5000/);
  });

  it('is computed quickly, however often fragments double', () => {
    const doubling = named(25, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`);

    expect(check(`{ ...F0 } ${doubling} fragment F25 on Query { a }`)).toMatch(/selections/);
  });

  it('counts depth through fragments, but not inside introspection', () => {
    expect(
      check(`{ a { b { c { d { e { f { ...F } } } } } } } fragment F on A { g { h { i { j { k { l { m } } } } } } }`),
    ).toMatch(/levels of selections, fragments put in: 13 .* 12/);
    expect(
      check('{ __schema { a { b { c { d { e { f { g { h { i { j { k { l { m } } } } } } } } } } } } } }'),
    ).toBeUndefined();
  });

  it('limits the fields at the root', () => {
    expect(check(`{ ${named(101, (n) => `a${n}: a`)} }`)).toMatch(/fields at the root of the operation: 101 .* 100/);
  });
});
