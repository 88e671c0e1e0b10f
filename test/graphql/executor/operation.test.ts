import { assert, asyncProperty, gen } from 'fast-check';
import { buildSchema, execute, type GraphQLError, parse } from 'graphql';
import { describe, expect, it } from 'vitest';

import { selectOperation } from '../../../src/graphql/admission/selections.ts';
import { ignoreRejections, toComparable } from '../../compare/support/graphql-js.ts';
import { makeDocument } from '../../compare/support/random-document.ts';
import type { Asked } from '../../compare/support/reference.ts';
import { DOCUMENTS, SEED, TIMEOUT_MS } from '../../compare/support/settings.ts';
import { type CompileOptions, compile, KNOWN, newContext, schema } from './support/schema.ts';

async function runCompiled({ query, variables }: Asked, options: Partial<CompileOptions> = {}) {
  const context = newContext();
  const result = await compile(schema, query, options)(context, variables);
  return { data: result.data, errors: result.errors, seen: context.seen };
}

async function runPlain({ query, variables = {} }: Asked) {
  const contextValue = newContext();
  const result = await execute({
    schema,
    document: parse(query),
    contextValue,
    variableValues: variables,
  });
  return {
    data: JSON.stringify(result.data),
    errors: result.errors ?? [],
    seen: contextValue.seen,
  };
}

const errorsOf = (errors: readonly GraphQLError[], data: unknown): string[] =>
  toComparable(errors, data, ({ message, locations }) => [message, locations]);

describe('a compiled operation', () => {
  it(
    'returns the same bytes and errors as graphql-js',
    async () => {
      const property = asyncProperty(gen(), async (g) => {
        const asked = makeDocument(schema, KNOWN, g);
        const [ours, theirs] = [await runCompiled(asked), await runPlain(asked)];

        expect(ours.data).toBe(theirs.data);
        const data: unknown = JSON.parse(ours.data ?? 'null');
        expect(errorsOf(ours.errors, data)).toEqual(errorsOf(theirs.errors, data));
      });
      await ignoreRejections(() => assert(property, { numRuns: 3 * DOCUMENTS, seed: SEED }));
    },
    TIMEOUT_MS,
  );

  it('runs the root fields of a mutation serially, each after everything below the one before it', async () => {
    const { seen } = await runCompiled({
      query:
        'mutation { a: thing(how: SOON) { x: thing(how: SHARED) { mustText } } b: mustText c: thing { text } }',
    });

    expect(seen).toEqual(['must', 'must', 'a "text"\n\ud83d\ude00\u2028']);
  });

  it('orders errors by their place in the response, whatever the order in which they occurred', async () => {
    const { errors } = await runCompiled({
      query:
        '{ a: text(how: SHARED_REJECT) things(items: [REJECT, NOW]) { b: text(how: THROW) } c: text(how: THROW) }',
    });

    expect(errors.map(({ path }) => path?.join('.'))).toEqual(['a', 'things.0', 'things.1.b', 'c']);
  });

  it('returns synchronously when nothing is pending', () => {
    const result = compile(schema, '{ text things(items: [NOW, NOW]) { number } }')(newContext());

    expect(result).toMatchObject({ data: expect.stringContaining('"number":7'), errors: [] });
  });

  it.each([
    [
      'an item failed before',
      '{ thing { mustThings(items: [NULL, REJECT, REJECT]) { text } } }',
      'mustThings.0',
    ],
    [
      'it came too late',
      '{ thing { things(how: SOON, items: [REJECT]) { text } mustText(how: NULL) } }',
      'mustText',
    ],
  ])('handles a rejection in a list that is discarded because %s', async (_why, query, path) => {
    const { errors } = await runCompiled({ query });

    expect(errors.map((error) => error.path?.join('.'))).toEqual([`thing.${path}`]);
  });

  it('takes the type of an object from its `__typename` where nothing else resolves it', async () => {
    const pets = buildSchema(
      'type Query { pet: Pet } interface Pet { young: Pet } type Cat implements Pet { young: Pet }',
    );
    const cat = { __typename: 'Cat', young: { __typename: 'Cat' } };
    Object.assign(pets.getQueryType()?.getFields()['pet'] ?? {}, { resolve: () => cat });
    const text = '{ all: pet { young { __typename } } }';

    const { data } = await execute({ schema: pets, document: parse(text) });

    expect((await compile(pets, text)({})).data).toBe(JSON.stringify(data));
  });

  it.each([
    [4, ['things.0.a', 'things.0.b', 'things.1.a', 'things.1.b']],
    [3, ['things.0.a', 'things.0.b', '2 more errors are left out.']],
  ])(
    'returns at most %i errors, in response order, and counts the others',
    async (maxErrors, shown) => {
      const query = '{ things(items: [NOW, NOW]) { a: text(how: REJECT) b: text(how: THROW) } }';

      const { errors } = await runCompiled({ query }, { maxErrors });

      expect(errors.map(({ path, message }) => path?.join('.') ?? message)).toEqual(shown);
    },
  );
});

describe('a document', () => {
  const text = 'query A { text } query B { a: __type(name: "A") { name } } mutation C { number }';

  it.each([
    ['without a name', text, undefined],
    ['by a name that it does not have', text, 'D'],
    ['and has none', 'fragment F on A { text }', undefined],
  ])(
    'reports a missing operation with graphql-js’s message: %s',
    async (_what, source, operationName) => {
      const ours = selectOperation(schema, parse(source), operationName);
      const theirs = await execute({
        schema,
        document: parse(source),
        operationName: operationName ?? null,
      });

      expect(ours).toEqual(theirs.errors?.[0]);
    },
  );
});
