import { assert, asyncProperty } from 'fast-check';
import {
  type ExecutionResult,
  execute,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';

import { createCompiler } from '../../../src/graphql/compiled/index.ts';
import { ignoreRejections } from './support/ignore-rejections.ts';
import { type RandomOperation, randomOperation } from './support/random-document.ts';
import { schema } from './support/schema.ts';

const { compile } = createCompiler(schema);
const newContext = () => ({ batch: Promise.resolve().then(() => undefined), seen: [] as string[] });

async function runCompiled({ text, variables }: RandomOperation) {
  const context = newContext();
  const { data, errors } = (await compile(parse(text), undefined)?.run(context, variables)) ?? {};
  return { data, errors: errors ?? [], seen: context.seen };
}

async function runPlain({ text, variables }: RandomOperation) {
  const contextValue = newContext();
  const result = await execute({ schema, document: parse(text), variableValues: variables, contextValue });
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
  it('gives what graphql-js gives, byte by byte, and the same errors', async () => {
    const property = asyncProperty(randomOperation, async (operation) => {
      expect(validate(schema, parse(operation.text), RULES)).toEqual([]);

      const [ours, theirs] = [await runCompiled(operation), await runPlain(operation)];

      expect(ours.data).toBe(theirs.data);
      const data: unknown = JSON.parse(ours.data ?? 'null');
      expect(sayings(ours.errors, data)).toEqual(sayings(theirs.errors, data));
    });
    await ignoreRejections(() => assert(property, { numRuns: 3_000 }));
  }, 60_000);

  it('begins the fields of a mutation in turn, each when all below the one before it is there', async () => {
    const { seen } = await runCompiled({
      text: 'mutation { a: thing(how: SOON) { x: thing(how: LATER) { mustText } } b: mustText c: thing { text } }',
      variables: {},
    });

    expect(seen).toEqual(['must', 'must', 'a "text"\n\ud83d\ude00\u2028']);
  });

  it('says its errors in the order of the answer, in whatever order they came', async () => {
    const { errors } = await runCompiled({
      text: '{ a: text(how: LATER_THROW) things(items: [REJECT, NOW]) { b: text(how: THROW) } c: text(how: THROW) }',
      variables: {},
    });

    expect(errors.map(({ path }) => path?.join('.'))).toEqual(['a', 'things.0', 'things.1.b', 'c']);
  });

  it('gives the answer at once where nothing has to be waited for', () => {
    const operation = compile(parse('{ text things(items: [NOW, NOW]) { number } }'), undefined);

    expect(operation?.run(newContext(), {})).toMatchObject({ data: expect.stringContaining('"number":7'), errors: [] });
  });

  it('waits once for all values that come together', async () => {
    const context = newContext();
    const waits: unknown[] = [];
    const batch = new Proxy(context.batch, {
      get: (promise, name) => {
        waits.push(name);
        return promise[name as 'then'].bind(promise);
      },
    });
    const operation = compile(
      parse('{ things(items: [NOW, NOW, NOW]) { text(how: LATER) thing(how: LATER) { a: number } } }'),
      undefined,
    );

    await operation?.run({ ...context, batch }, {});

    expect(waits).toEqual(['then']);
  });

  it('refuses variables that do not fit, in the words of graphql-js', async () => {
    const operation = { text: 'query ($how: How!) { text(how: $how) }', variables: { how: 'NEVER' } };

    const [ours, theirs] = [await runCompiled(operation), await runPlain(operation)];

    expect(ours.data).toBeUndefined();
    expect(ours.errors).toEqual(theirs.errors);
  });
});

describe('a variable that is null where there can be none', () => {
  it('fails a field in the words of graphql-js, and by the client’s fault', async () => {
    const operation = { text: 'query ($must: How = NOW) { mustText(how: $must) }', variables: { must: null } };

    const [ours, theirs] = [await runCompiled(operation), await runPlain(operation)];

    expect(ours.data).toBe(theirs.data);
    expect(sayings(ours.errors, null)).toEqual(sayings(theirs.errors, null));
    expect(ours.errors.map(({ message }) => message)).toEqual(theirs.errors.map(({ message }) => message));
    expect(ours.errors.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
  });

  it('refuses an operation whose condition it is', async () => {
    const text = 'query ($yes: Boolean = true) { text @skip(if: $yes) number }';

    const { data, errors, seen } = await runCompiled({ text, variables: { yes: null } });

    expect(data).toBeUndefined();
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
    expect(seen).toEqual([]);
  });
});

describe('the compiler', () => {
  const schemaWith = (resolve: () => unknown) =>
    new GraphQLSchema({
      query: new GraphQLObjectType({ name: 'Query', fields: { a: { type: GraphQLString, resolve } } }),
    });

  it('compiles an operation once for a document', () => {
    const document = parse('query A { text } query B { number }');

    expect(compile(document, 'A')).toBe(compile(document, 'A'));
    expect(compile(document, 'A')).not.toBe(compile(document, 'B'));
  });

  it('leaves to graphql-js what asks for the schema, or for an operation that is not there', () => {
    expect(
      compile(parse('{ text ...F } fragment F on Query { __type(name: "A") { name } }'), undefined),
    ).toBeUndefined();
    expect(compile(parse('query A { text }'), 'B')).toBeUndefined();
  });

  it('takes no schema whose resolvers want to know how they are asked', () => {
    const nosy = (_source: unknown, _args: unknown, _context: unknown, info: unknown) => info;

    expect(() => createCompiler(schemaWith(nosy as never))).toThrow('The resolver of Query.a');
    expect(() => createCompiler(schemaWith(() => 1))).not.toThrow();
  });
});
