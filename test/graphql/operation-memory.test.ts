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
