import { Kind, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';

import { measureSelections } from '../../../src/graphql/limits/selections.ts';

function measure(text: string) {
  const document = parse(text);
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return measureSelections(document, operation as OperationDefinitionNode);
}

describe('what an operation selects', () => {
  it('is counted with fragments put in wherever they are used', () => {
    const found = measure('{ a { ...F ...F } ... on Query { b } } fragment F on A { c { d } e }');

    // a, two spreads of three fields, an inline fragment, b.
    expect(found).toEqual({ selections: 11, depth: 3, rootFields: 2 });
  });

  it('is counted at once, however often fragments double', () => {
    const doubling = Array.from({ length: 25 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`);

    const found = measure(`{ ...F0 } ${doubling.join(' ')} fragment F25 on Query { a }`);

    expect(found.selections).toBeGreaterThan(2 ** 25);
    expect(found.rootFields).toBe(2 ** 25);
  });

  it('comes to an end where fragments go round in a circle', () => {
    expect(measure('{ ...F } fragment F on Query { a { ...F } }').selections).toBe(3);
  });

  it('has no depth in what asks for the schema', () => {
    expect(measure('{ __schema { types { fields { type { name } } } } }').depth).toBe(0);
  });
});
