import { buildSchema, execute, GraphQLError, parse, Source } from 'graphql';
import { describe, expect, it } from 'vitest';

import { selectOperation } from '../../../src/graphql/admission/selections.ts';
import { compileOperation } from '../../../src/graphql/executor.ts';

const schema = buildSchema(
  'type Query { items: [Item] } type Item { name(of: String! = "x"): String }',
);
const MANY = 10_000;

/** A failure that counts how many errors are created from it. */
class Failure extends Error {
  errors = 0;
  override get message() {
    this.errors++;
    return 'it failed';
  }
}

/**
 * Runs a document whose every `name` fails; `reads` counts how often the text of the document is
 * read.
 */
async function runFailing(text: string, { rows = MANY, variables = {} } = {}) {
  let reads = 0;
  const source = new Source(text);
  Object.defineProperty(source, 'body', {
    get() {
      reads++;
      return text;
    },
  });
  const selected = selectOperation(schema, parse(source), undefined);
  if (selected instanceof GraphQLError) throw selected;
  const run = compileOperation(selected, { maxLength: Infinity });
  const failure = new Failure();
  const items = Array.from({ length: rows }, () => ({
    name() {
      throw failure;
    },
  }));
  Object.assign(schema.getQueryType()?.getFields()['items'] ?? {}, { resolve: () => items });
  reads = 0;
  failure.errors = 0;
  const { errors } = await run({}, variables);
  return { errors, reads, created: failure.errors };
}

describe('an operation with thousands of failing fields', () => {
  it('creates only the errors that the answer has room for, and counts the others', async () => {
    const { errors, created } = await runFailing('{ items { name } }');

    expect(errors).toHaveLength(200);
    expect(errors[198]).toMatchObject({ message: 'it failed', path: ['items', 198, 'name'] });
    expect(errors[199]).toMatchObject({
      message: '9801 more errors are left out.',
      extensions: { code: 'TOO_MANY_ERRORS' },
    });
    expect(created).toBeLessThan(400);
  });

  it('searches the document for its lines once', async () => {
    const { errors, reads } = await runFailing(`{ items { ${'\n'.repeat(50_000)} name } }`);

    expect(errors[0]?.locations).toEqual([{ line: 50_001, column: 2 }]);
    expect(reads).toBe(1);
  });

  it('reads arguments that do not fit once for all rows, and does not search the document for them', async () => {
    const text = `query ($of: String = "y") { items { ${'\n'.repeat(50_000)} name(of: $of) } }`;

    const { errors, reads } = await runFailing(text, { variables: { of: null } });

    expect(errors[0]).toMatchObject({
      message: 'Argument "of" of non-null type "String!" must not be null.',
      locations: [{ line: 50_001, column: 11 }],
      extensions: { code: 'BAD_USER_INPUT' },
    });
    expect(new Set(errors.slice(0, -1).map(({ originalError }) => originalError)).size).toBe(1);
    expect(reads).toBe(1);
  });

  it('places errors where graphql-js does, whatever ends the lines', async () => {
    for (const end of ['\n', '\r', '\r\n', '\n\r', '\r\r\n', ' ', '']) {
      const text = `{${end} items${end}{ a: name${end}${end} ...F ... {${end}name a: name} } }${end} fragment F on Item { name }`;
      const { errors } = await runFailing(text, { rows: 3 });
      const theirs = await execute({ schema, document: parse(text) });

      expect(errors.map(({ path, locations }) => ({ path, locations }))).toEqual(
        theirs.errors?.map(({ path, locations }) => ({ path, locations })),
      );
    }
  });

  it('places an error of a field that is selected often at the first ten of them', async () => {
    const { errors } = await runFailing(`{ items { ${'name '.repeat(500)} } }`, { rows: 1 });

    expect(errors.map(({ locations }) => locations?.length)).toEqual([10]);
  });
});
