import { buildSchema, parse } from 'graphql';
import { expect, it } from 'vitest';

import { createPreparedOperations } from '../../src/graphql/operations.ts';

const schema = buildSchema('type Query { node: Query id: ID }');
const repeat = (count: number, write: (index: number) => string) => Array.from({ length: count }, (_, n) => write(n));

/** Gives how many of a hundred operations are kept. */
function countKept(write: (index: number) => string): number {
  const operations = createPreparedOperations({ schema, version: 1, isIntrospectable: true });
  const texts = repeat(100, write);
  for (const text of texts) operations.prepare(parse(text), text, undefined);
  return texts.filter((text) => operations.get(text, undefined)).length;
}

it('keeps fewer operations the more they select, however short their texts are', () => {
  expect(countKept((n) => `query Small${n} { node { id } }`)).toBe(100);

  const fragment = `fragment All on Query { ${repeat(38, (n) => `b${n}: id`).join(' ')} }`;
  const spreads = repeat(120, (n) => `a${n}: node { ...All }`).join(' ');
  // Each takes more than 5 MB once it is compiled.
  expect(countKept((n) => `query Large${n} { node { ${spreads} } } ${fragment}`)).toBeLessThan(15);
});

it('keeps fewer operations the more combinations of conditions they may be compiled for', () => {
  const fields = repeat(100, (n) => `b${n}: id`).join(' ');
  const write = (conditions: string) => (n: number) =>
    `query Q${n}($a: Boolean!, $b: Boolean!, $c: Boolean!, $d: Boolean!) { node ${conditions} { ${fields} } }`;
  expect(countKept(write(''))).toBe(100);

  // Each takes more than 1 MB once it is compiled for all of them.
  const conditions = '@include(if: $a) { node @skip(if: $b) { node @skip(if: $c) { id } node @skip(if: $d)';
  expect(countKept((n) => `${write(conditions)(n)} } }`)).toBeLessThan(60);
});
