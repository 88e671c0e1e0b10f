import { buildSchema, type GraphQLScalarType, parse } from 'graphql';
import { expect, it } from 'vitest';

import type { Variables } from '../../src/graphql/admission/arguments.ts';
import type { OperationContext } from '../../src/graphql/context.ts';
import { createPreparedOperations } from '../../src/graphql/operations.ts';
import { Decimal } from '../../src/graphql/scalars.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

const schema = buildSchema('type Query { node: Query id: ID }');
const repeat = <T>(count: number, write: (index: number) => T) =>
  Array.from({ length: count }, (_, n) => write(n));

/** Returns how many of a hundred operations stay in the cache. */
function countKept(write: (index: number) => string): number {
  const operations = createPreparedOperations({ schema, isIntrospectable: true });
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

/**
 * Runs twenty operations with these variables, and returns the ratio of their memory to the counted
 * size.
 */
function measure(write: (index: number) => string, variables: readonly object[]): number {
  const types = repeat(40, (n) => `type T${n} implements Any { id: ID }`).join(' ');
  const many = buildSchema(
    `scalar Decimal interface Any { id: ID } ${types}
    type Query { node: Query any(type: String): Any id: ID sum(of: [Decimal]): Int }`,
  );
  Object.assign(many.getQueryType()?.getFields()['node'] ?? {}, { resolve: () => ({}) });
  Object.assign(many.getQueryType()?.getFields()['sum'] ?? {}, { resolve: () => 0 });
  const { parseLiteral } = Decimal;
  Object.assign(many.getType('Decimal') as GraphQLScalarType, { parseLiteral });
  const any = (_root: object, { type }: { readonly type: string }) => ({ __typename: type });
  Object.assign(many.getQueryType()?.getFields()['any'] ?? {}, { resolve: any });
  const operations = createPreparedOperations({ schema: many, isIntrospectable: true });
  const before = collectGarbage();

  const prepared = repeat(20, write).map((text) =>
    operations.prepare(parse(text), text, undefined),
  );
  let counted = 0;
  for (const operation of prepared) {
    if (operation instanceof Error) throw operation;
    counted += operation.bytes;
    for (const values of variables) operation.run({} as OperationContext, values as Variables);
  }

  return (collectGarbage() - before) / counted;
}

const IDS = repeat(200, (n) => `b${n}: id`).join(' ');
const SPREADS = repeat(90, (n) => `s${n}: node { ...Sum }`).join(' ');
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const CONDITIONS = NAMES.map((name) => `${name}: node @skip(if: $${name}) { ${IDS} }`).join(' ');

it.each([
  {
    what: 'combinations of conditions',
    write: (n: number) =>
      `query Q${n}(${NAMES.map((name) => `$${name}: Boolean!`).join()}) { ${CONDITIONS} }`,
    variables: repeat(32, (n) =>
      Object.fromEntries(NAMES.map((name, at) => [name, ((n >> at) & 1) === 1])),
    ),
  },
  {
    what: 'types of what an interface gives',
    write: (n: number) => `query Q${n}($type: String) { any(type: $type) { ${IDS} } }`,
    variables: repeat(40, (n) => ({ type: `T${n}` })),
  },
  {
    what: 'places of a literal with long exponents',
    write: (n: number) =>
      `query Q${n} { ${SPREADS} } fragment Sum on Query { sum(of: [${Array(300).fill('1e60').join()}]) }`,
    variables: [{}],
  },
])('keeps no more of an operation than is counted, whatever the $what', ({ write, variables }) => {
  expect(measure(write, variables)).toBeLessThan(1.2);
});
