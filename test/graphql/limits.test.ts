import { buildSchema, GraphQLError, parse } from 'graphql';
import { describe, expect, it } from 'vitest';

import { findTextExcess } from '../../src/graphql/admission/limits.ts';
import { selectOperation } from '../../src/graphql/admission/selections.ts';

const schema = buildSchema(
  `type Query { a: A } type A { ${[...'abcdefghijklm'].map((name) => `${name}: A`).join(' ')} }`,
);

const times = (count: number, text: string) => text.repeat(count);
const named = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');

describe('a document', () => {
  const LEVELS = 'levels of lists and objects in an argument';
  const PAIRS = 'pairs of fields with selections or arguments that go by the same name';
  /** Texts with a given number of items, and the limit of that number. */
  const EXACT: readonly [what: string, limit: number, text: (count: number) => string][] = [
    ['tokens in the document', 2_000, (count) => `{ ${times(count - 2, 'a ')} }`],
    ['levels of selections', 12, (count) => `${times(count, '{a')}${times(count, '}')}`],
    [LEVELS, 64, (count) => `{a(b:${times(count, '[')}${times(count, ']')})}`],
    [LEVELS, 64, (count) => `{a(b:${times(count, '{c:')}1${times(count, '}')})}`],
    [LEVELS, 64, (count) => `query ($a: ${times(count, '[')}Int${times(count, ']')}) {a}`],
    ['aliases in the document', 200, (count) => `{ ${named(count, (n) => `x${n}: a`)} }`],
    ['characters in an alias', 200, (count) => `{ ${times(count, 'x')}: a }`],
    ['directives in the document', 100, (count) => `{ a ${times(count, '@b ')} }`],
    ['operations in the document', 50, (count) => named(count, (n) => `{ a${n} }`)],
    [
      'fragments in the document',
      100,
      (count) => `{ a } ${named(count, (n) => `fragment F on Query { a${n} }`)}`,
    ],
    [
      'variables of an operation',
      100,
      (count) => `query (${named(count, (n) => `$a${n}: A`)}) { a }`,
    ],
    ['items in a list', 1_000, (count) => `{ a(b: [${times(count, '1 ')}]) }`],
    // 141 fields of one name are 9,870 pairs.
    [
      PAIRS,
      10_000,
      (count) => `{ ${times(141, 'a{i}')} ${named(count - 9_870, (n) => `b${n}{i} b${n}{i}`)} }`,
    ],
    [
      PAIRS,
      10_000,
      (count) =>
        `{ ${times(141, 'a(c: 1) ')} ${named(count - 9_870, (n) => `b${n}{i} b${n}{i}`)} }`,
    ],
    [
      'fields `__schema` in the document',
      1,
      (count) => `{ ${named(count, () => '__schema { __typename }')} }`,
    ],
    [
      'fields `__type` in the document',
      10,
      (count) => `{ ${named(count, (n) => `t${n}: __type(name: "A") { name }`)} }`,
    ],
  ];

  it.each(EXACT)(
    'with as many %s as are allowed (%i) passes, and one more is rejected',
    (what, limit, text) => {
      expect(findTextExcess(text(limit), schema)?.message).toBeUndefined();
      expect(findTextExcess(text(limit + 1), schema)?.message).toBe(
        `Too many ${what}: ${limit + 1} or more, and at most ${limit} are taken.`,
      );
    },
  );

  it.each(['', '}', '{ a(b: "never closed', times(50_000, '{a').slice(0, 900)])(
    'with a syntax error is left to the server to reject: %s',
    (text) => {
      expect(findTextExcess(text, schema)).toBeUndefined();
    },
  );

  it.each([
    times(100_000, '{a'),
    `{a(b:${times(100_000, '[')}`,
    `query ($a: ${times(100_000, '[')}`,
  ])('with an unclosed part is rejected, however long it is', (text) => {
    expect(findTextExcess(text, schema)?.message).toMatch(/tokens|levels of lists/);
  });
});

describe('the selection count', () => {
  const check = (text: string) => {
    const selected = selectOperation(schema, parse(text), undefined);
    return selected instanceof GraphQLError ? selected.message : undefined;
  };

  it('counts depth through fragments, but not inside introspection', () => {
    expect(
      check(
        `{ a { b { c { d { e { f { ...F } } } } } } } fragment F on A { g { h { i { j { k { l { m } } } } } } }`,
      ),
    ).toMatch(/levels of selections, fragments put in: 13 .* 12/);
    expect(
      check(
        '{ __schema { a { b { c { d { e { f { g { h { i { j { k { l { m } } } } } } } } } } } } } }',
      ),
    ).toBeUndefined();
  });

  const nested = (count: number) =>
    `{a{b{c{d{...F}}}}} fragment F on A ${times(count - 4, '{e')}${times(count - 4, '}')}`;

  it.each([
    ['fields at the root', 100, (count: number) => `{ ${named(count, (n) => `a${n}: a`)} }`],
    ['selections', 5_000, (count: number) => `{ a { ${times(count - 1, 'b ')} } }`],
    [
      'selections',
      5_000,
      (count: number) =>
        `{ ... on A { ...F } } fragment F on A { ... { b { ${times(count - 4, 'c ')} } } }`,
    ],
    ['levels', 12, nested],
  ])('allows exactly its limit of %s, %i', (_what, limit, text) => {
    expect(check(text(limit))).toBeUndefined();
    expect(check(text(limit + 1))).toMatch(`${limit + 1} or more, and at most ${limit} are`);
  });
});
