import { assert, asyncProperty } from 'fast-check';
import {
  buildSchema,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLResolveInfo,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  parse,
  responsePathAsArray,
  specifiedRules,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';

import { type CompileOptions, compileOperation } from '../../../src/graphql/executor/index.ts';
import { ignoreRejections } from './support/ignore-rejections.ts';
import { type RandomOperation, randomOperation } from './support/random-document.ts';
import { newContext, schema } from './support/schema.ts';

type Asked = Pick<RandomOperation, 'text'> & Partial<RandomOperation>;

function compile({ text, operationName }: Asked, options: Partial<CompileOptions> = {}) {
  const compiled = compileOperation(schema, parse(text), operationName, { maxLength: Infinity, ...options });
  if (compiled instanceof GraphQLError) throw compiled;
  return compiled;
}

async function runCompiled(asked: Asked, options?: Partial<CompileOptions>) {
  const context = newContext();
  const { data, errors } = await compile(asked, options).run(context, asked.variables ?? {});
  return { data, errors, seen: context.seen };
}

async function runPlain({ text, operationName, variables }: Asked) {
  const contextValue = newContext();
  const result = await execute({
    ...{ schema, document: parse(text), operationName: operationName ?? null, contextValue },
    variableValues: variables ?? {},
  });
  return { data: JSON.stringify(result.data), errors: result.errors ?? [], seen: contextValue.seen };
}

type Errors = NonNullable<ExecutionResult['errors']>;

/**
 * What the errors say of the answer: each one whose field is there with all that it says; where a field has taken what is
 * around it along, that something there failed.
 */
function sayings(errors: Errors, data: unknown): string[] {
  const said = errors.map(({ message, path = [], locations }) => {
    let place = data;
    const way: (string | number)[] = [];
    for (const key of path) {
      if (typeof place !== 'object' || place === null) return JSON.stringify([way, 'failed']);
      place = (place as Record<string | number, unknown>)[key];
      way.push(key);
    }
    return JSON.stringify([way, message, locations]);
  });
  return [...new Set(said)].sort();
}

const UNUSED: readonly unknown[] = [NoUnusedFragmentsRule, NoUnusedVariablesRule];
const RULES = specifiedRules.filter((rule) => !UNUSED.includes(rule));

describe('a compiled operation', () => {
  it('returns the same bytes and errors as graphql-js', async () => {
    const property = asyncProperty(randomOperation, async (operation) => {
      expect(validate(schema, parse(operation.text), RULES)).toEqual([]);

      const [ours, theirs] = [await runCompiled(operation), await runPlain(operation)];

      expect(ours.data).toBe(theirs.data);
      const data: unknown = JSON.parse(ours.data ?? 'null');
      expect(sayings(ours.errors, data)).toEqual(sayings(theirs.errors, data));
    });
    await ignoreRejections(() => assert(property, { numRuns: 1_000 }));
  }, 60_000);

  it('returns the same as graphql-js when it runs again with other variables', async () => {
    const text = 'query ($a: Boolean!, $n: How) { text @skip(if: $a) number(how: $n) any(value: $n) }';
    const operation = compile({ text });

    for (const variables of [{ a: true, n: 'NOW' }, { a: false, n: 'NULL' }, { a: true }]) {
      const { data } = await operation.run(newContext(), variables);

      expect(data).toBe((await runPlain({ text, variables })).data);
    }
  });

  it('runs the root fields of a mutation serially, each after everything below the one before it', async () => {
    const { seen } = await runCompiled({
      text: 'mutation { a: thing(how: SOON) { x: thing(how: SHARED) { mustText } } b: mustText c: thing { text } }',
    });

    expect(seen).toEqual(['must', 'must', 'a "text"\n\ud83d\ude00\u2028']);
  });

  it('orders errors by their place in the response, whatever the order in which they occurred', async () => {
    const { errors } = await runCompiled({
      text: '{ a: text(how: SHARED_REJECT) things(items: [REJECT, NOW]) { b: text(how: THROW) } c: text(how: THROW) }',
    });

    expect(errors.map(({ path }) => path?.join('.'))).toEqual(['a', 'things.0', 'things.1.b', 'c']);
  });

  it('returns synchronously when nothing is pending', () => {
    const result = compile({ text: '{ text things(items: [NOW, NOW]) { number } }' }).run(newContext(), {});

    expect(result).toMatchObject({ data: expect.stringContaining('"number":7'), errors: [] });
  });

  it('waits once for a promise shared by many values', async () => {
    const context = newContext();
    let waits = 0;
    const shared = Object.assign(Promise.resolve('together'), {
      // biome-ignore lint/suspicious/noThenProperty: counts who waits.
      then(...args: Parameters<Promise<string>['then']>) {
        waits++;
        return Promise.prototype.then.apply(this, args);
      },
    });
    context.shared.set(JSON.stringify('must'), shared);
    const operation = compile({ text: '{ things(items: [NOW, NOW, NOW]) { mustText(how: SHARED) } }' });

    const { data } = await operation.run(context, {});

    expect(data).toBe(`{"things":[${Array(3).fill('{"mustText":"together"}').join()}]}`);
    expect(waits).toBe(1);
  });

  it('accepts thenables as promises', async () => {
    const context = newContext();
    // biome-ignore lint/suspicious/noThenProperty: a thenable that is no Promise.
    const thenable = { then: (onValue: (value: string) => void) => onValue('in the end') };
    context.shared.set(JSON.stringify('must'), thenable as Promise<string>);

    const { data } = await compile({ text: '{ mustText(how: SHARED) }' }).run(context, {});

    expect(data).toBe('{"mustText":"in the end"}');
  });

  it.each([
    ['an item failed before', '{ thing { mustThings(items: [NULL, REJECT, REJECT]) { text } } }', 'mustThings.0'],
    ['it came too late', '{ thing { things(how: SOON, items: [REJECT]) { text } mustText(how: NULL) } }', 'mustText'],
  ])('handles a rejection in a list that is discarded because %s', async (_why, text, path) => {
    const { errors } = await runCompiled({ text });

    expect(errors.map((error) => error.path?.join('.'))).toEqual([`thing.${path}`]);
  });

  it('passes the field to type resolvers as to field resolvers', async () => {
    const seen: unknown[] = [];
    const note = (type: string, { path, fieldName }: GraphQLResolveInfo) => {
      seen.push(`${type} ${fieldName} ${responsePathAsArray(path).join('.')}`);
      return true;
    };
    const pets = buildSchema(
      'type Query { pets: [[Pet]] } interface Pet { young: Pet } type Cat implements Pet { young: Pet }',
    );
    const cat = { __typename: 'Cat', young: { __typename: 'Cat' } };
    Object.assign(pets.getQueryType()?.getFields()['pets'] ?? {}, { resolve: () => [[cat], [cat]] });
    Object.assign(pets.getType('Cat') ?? {}, {
      isTypeOf: (_value: unknown, _context: unknown, info: GraphQLResolveInfo) => note('Cat', info),
    });
    const document = parse('{ all: pets { young { __typename } } }');

    const compiled = compileOperation(pets, document, undefined, { maxLength: Infinity });
    if (compiled instanceof GraphQLError) throw compiled;
    const ours = [await compiled.run({}, {}), ...seen.splice(0)];
    const { data } = await execute({ schema: pets, document });

    expect(ours).toEqual([{ data: JSON.stringify(data), errors: [], hasData: true }, ...seen]);
  });

  it('returns a limited number of errors, in response order, and says how many are left out', async () => {
    const text = '{ things(items: [NOW, NOW, NOW]) { a: text(how: REJECT) b: text(how: THROW) } }';

    const { errors } = await runCompiled({ text }, { maxErrors: 3 });

    expect(errors.map(({ path, message }) => path ?? message)).toEqual([
      ['things', 0, 'a'],
      ['things', 0, 'b'],
      '4 more errors are left out.',
    ]);
  });
});

describe('variables', () => {
  it('are rejected with graphql-js’s messages when invalid', async () => {
    const operation = { text: 'query ($how: How!) { text(how: $how) }', variables: { how: 'NEVER' } };

    const [ours, theirs] = [await runCompiled(operation), await runPlain(operation)];

    expect(ours.data).toBeUndefined();
    expect(ours.errors).toEqual(theirs.errors);
  });

  it('are rejected without suggestions where these are hidden', async () => {
    const operation = { text: 'query ($how: How!) { text(how: $how) }', variables: { how: 'NOWW' } };

    const [shown, hidden] = [await runCompiled(operation), await runCompiled(operation, { isIntrospectable: false })];

    expect(shown.errors[0]?.message).toContain('Did you mean');
    expect(hidden.errors[0]?.message).not.toContain('Did you mean');
  });

  it('produce few errors, however many values are invalid', async () => {
    const hows = Array(100).fill('NEVER');

    const { errors } = await runCompiled({
      text: 'query ($hows: [How!]) { things(items: $hows) { text } }',
      variables: { hows },
    });

    expect(errors.length).toBeLessThanOrEqual(11);
  });

  it('fail a field as a client error with graphql-js’s message when null is not allowed', async () => {
    const operation = { text: 'query ($must: How = NOW) { mustText(how: $must) }', variables: { must: null } };

    const [ours, theirs] = [await runCompiled(operation), await runPlain(operation)];

    expect(ours.data).toBe(theirs.data);
    expect(ours.errors.map(({ message }) => message)).toEqual(theirs.errors.map(({ message }) => message));
    expect(ours.errors.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
  });

  it('reject an operation before execution when any condition is null', async () => {
    const text =
      'mutation ($yes: Boolean = true) { text ...F } fragment F on Thing { thing { a: text @skip(if: $yes) } }';

    const { data, errors, seen } = await runCompiled({ text, variables: { yes: null } });

    expect(data).toBeUndefined();
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
    expect(seen).toEqual([]);
  });
});

describe('a document', () => {
  const text = 'query A { text } query B { a: __type(name: "A") { name } } mutation C { number }';

  it('runs the named operation, whatever its others are', async () => {
    expect((await runCompiled({ text, operationName: 'A' })).data).toContain('"text":"a ');
    expect((await runCompiled({ text, operationName: 'B' })).data).toBe('{"a":{"name":"A"}}');
    expect((await runCompiled({ text, operationName: 'C' })).data).toBe('{"number":7}');
  });

  it.each([
    ['without a name', text, undefined],
    ['by a name that it does not have', text, 'D'],
    ['and has none', 'fragment F on A { text }', undefined],
  ])('reports a missing operation with graphql-js’s message: %s', async (_what, source, operationName) => {
    const compiled = compileOperation(schema, parse(source), operationName, { maxLength: Infinity });
    const theirs = await execute({ schema, document: parse(source), operationName: operationName ?? null });

    expect(compiled).toEqual(theirs.errors?.[0]);
  });
});
