import { buildSchema, findBreakingChanges } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createSchema, printSdl } from '../../src/graphql/schema.ts';
import { compareSchemas } from '../../src/graphql/schema-diff.ts';

const REST = 'interface N { id: ID } type X implements N { id: ID } ';

/** What is changed in a schema: from, to, and what that is found to be. */
const CHANGES = [
  ['a field that is gone', 'type Query { a: Int b: Int }', 'type Query { a: Int }', 'breaking Query.b'],
  ['a type that is gone', 'type Query { a: Int } type T { a: Int }', 'type Query { a: Int }', 'breaking T'],
  ['a choice that is gone', 'type Query { a: E } enum E { A B }', 'type Query { a: E } enum E { A }', 'breaking E.B'],
  ['an answer of another type', 'type Query { a: Int }', 'type Query { a: String }', 'breaking Query.a'],
  ['an answer that may be null', 'type Query { a: Int! }', 'type Query { a: Int }', 'breaking Query.a'],
  ['an argument that is due', 'type Query { a: Int }', 'type Query { a(b: Int!): Int }', 'breaking Query.a.b'],
  [
    'a value that is due',
    'type Query { a(i: I): Int } input I { b: Int }',
    'type Query { a(i: I): Int } input I { b: Int! }',
    'breaking I.b',
  ],
  [
    'an input that takes one of its fields only',
    'type Query { a(i: I): Int } input I { b: Int c: Int }',
    'type Query { a(i: I): Int } input I @oneOf { b: Int c: Int }',
    'breaking I.@oneOf',
  ],
  [
    'an interface that a type has no more',
    `${REST} type Query { a: X }`,
    'interface N { id: ID } type X { id: ID } type Query { a: X }',
    'breaking X',
  ],
  ['another default', 'type Query { a(b: Int = 1): Int }', 'type Query { a(b: Int = 2): Int }', 'dangerous Query.a.b'],
  ['one more choice', 'type Query { a: E } enum E { A }', 'type Query { a: E } enum E { A B }', 'dangerous E.B'],
  ['one more argument', 'type Query { a: Int }', 'type Query { a(b: Int): Int }', 'dangerous Query.a.b'],
  ['one more field', 'type Query { a: Int }', 'type Query { a: Int b: Int }', 'safe Query.b'],
  ['an answer that is never null', 'type Query { a: Int }', 'type Query { a: Int! }', 'safe Query.a'],
  ['other words', '"A" type Query { a: Int }', '"B" type Query { a: Int }', 'safe Query'],
  [
    'a field that is deprecated, told once',
    'type Query { a: Int }',
    'type Query { a: Int @deprecated(reason: "b") }',
    'safe Query.a.@deprecated',
  ],
] as const;

const sayAll = async (before: string, after: string) =>
  (await compareSchemas(before, after)).map(({ severity, place }) => `${severity} ${place}`);

describe('a schema comparison', () => {
  it('finds nothing between a schema and itself', async () => {
    const sdl = printSdl(createSchema());

    expect(await compareSchemas(sdl, sdl)).toEqual([]);
  });

  it.each(CHANGES)('finds %s', async (_what, before, after, found) => {
    expect(await sayAll(before, after)).toEqual([found]);
  });

  it.each(CHANGES)('classifies as breaking what graphql-js does: %s', async (_what, before, after) => {
    const isKnown = findBreakingChanges(buildSchema(before), buildSchema(after)).length > 0;
    const [worst] = await compareSchemas(before, after);

    expect(!isKnown || worst?.severity === 'breaking').toBe(true);
  });

  it('lists a new type without its members, and the worst change first', async () => {
    const before = `${REST} enum E { A } type Query { z: Int }`;
    const after = `${REST} enum E { A B }
      type T implements N { id: ID a(b: Int!): Int @deprecated } input O @oneOf { a: Int } type Query { a(o: O = { a: 1 }): T }`;

    expect(await sayAll(before, after)).toEqual([
      'breaking Query.z',
      'dangerous E.B',
      'safe O',
      'safe Query.a',
      'safe T',
    ]);
  });

  it('lists a change in a type that implements another interface', async () => {
    const before = 'interface N { id: ID } type X { id: ID } type Query { a: X }';

    expect(
      await sayAll(before, `interface N { id: ID } type X implements N { id: ID b: Int } type Query { a: X }`),
    ).toEqual(['dangerous X', 'safe X.b']);
  });
});
