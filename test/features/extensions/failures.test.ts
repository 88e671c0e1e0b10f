import { describe, expect, it } from 'vitest';

import { shareExtended, startExtended } from './support/start.ts';

const MISFITS = `
export default {
  typeDefs: \`
    enum Size { SMALL LARGE }
    union Entry = Note | Supplier
    type Note { text: String! }
    extend type Query {
      int: Int  text: String  size: Size  when: DateTime  day: Date  price: Decimal  long: Long  json: JSON  object: JSONObject
      required: Int!
    }
    extend type Supplier {
      list: [Int]  item: [Int]  entry: Entry  untyped: Entry  another: PurchaseRequest  made: Supplier  plain: Note  note: Note
    }
  \`,
  resolvers: {
    Query: {
      int: () => 'the secret', text: () => ({ secret: 1 }), size: async () => 'MEDIUM', when: () => '2026-01-31',
      day: () => new Date(), price: () => 'twelve', long: () => 1.5, json: () => 1n, object: () => [],
      required: () => null,
    },
    Supplier: {
      list: () => 7, item: () => [1, 'two', Promise.resolve('three'), new Error('four')], entry: () => ({ __typename: 'Nothing' }), untyped: () => ({}),
      another: (source) => source, made: () => ({ name: 'by hand' }), plain: () => 'a note', note: () => ({ text: 7n }),
    },
  },
};`;

/** Fields that return a wrong value, each with a part of its error message. */
const WORDS = {
  int: 'Int cannot represent non-integer value: "the secret"',
  text: 'String cannot represent value: { secret: 1 }',
  size: 'Enum "Size" cannot represent value: "MEDIUM"',
  when: 'This must be a date and time',
  day: 'This must be a date, such as',
  price: 'This must be a decimal number',
  long: 'This must be a whole number',
  json: 'BigInt',
  object: 'This must be a JSON object.',
  list: 'Expected Iterable, but did not find one for field "Supplier.list".',
  entry: 'Type "Entry"',
  untyped: 'Type "Entry"',
  another: '"PurchaseRequest"',
  made: '"Supplier"',
  plain: 'Type "Note"',
} as const;

const QUERY = `{
  int text size when day price long json object
  supplier(instanceId: "1") { list entry { __typename } untyped { __typename } another { title } made { name } plain { text } }
}`;

const isOfExtension = ({ extension }: Readonly<Record<string, unknown>>) => extension === 'own.js';

describe('a value of the wrong type', () => {
  const gateway = shareExtended({ 'own.js': MISFITS });
  /** Executes a query, and returns its log lines too. */
  const run = async (query: string) => {
    const before = gateway.lines.length;
    const answer = await gateway.execute(query);
    return { ...answer, logged: gateway.logged().slice(before) };
  };

  it('fails its own field in GraphQL’s words, which the client reads and the log has with file and field', async () => {
    const { data, errors = [], logged } = await run(QUERY);

    const nulls = (names: string) =>
      Object.fromEntries(names.split(' ').map((name) => [name, null]));
    expect(data).toEqual({
      ...nulls('int text size when day price long json object'),
      supplier: nulls('list entry untyped another made plain'),
    });
    const said = Object.fromEntries(errors.map(({ path, message }) => [path?.at(-1), message]));
    for (const [name, words] of Object.entries(WORDS)) expect(said[name], name).toContain(words);
    expect(new Set(errors.map(({ extensions }) => extensions['code']))).toEqual(
      new Set(['EXTENSION_FAILED']),
    );

    const reported = logged.filter(isOfExtension);
    expect(reported).toHaveLength(Object.keys(WORDS).length);
    expect(reported).toContainEqual(
      expect.objectContaining({
        level: 40,
        field: 'Supplier.list',
        reason: WORDS.list,
        requestId: expect.any(String),
      }),
    );
    expect(logged.filter(({ msg }) => msg === 'unexpected error')).toEqual([]);
  });

  it('keeps its value out of the log and away from clients in production', async () => {
    const env = { NODE_ENV: 'production', CALLER_AUTH: 'none' };
    const { execute, logged } = await startExtended({ 'own.js': MISFITS }, env);

    const { errors } = await execute('{ int text }');

    expect(errors).toMatchObject(
      Array(2).fill({ extensions: { code: 'EXTENSION_FAILED', retryable: false } }),
    );
    expect(logged().filter(isOfExtension)).toMatchObject([
      { field: 'Query.int', reason: 'Int cannot represent non-integer value' },
      { field: 'Query.text', reason: 'String cannot represent value' },
    ]);
    expect(JSON.stringify([errors, logged()])).not.toContain('secret');
  });

  it('takes its object along where there may be no null', async () => {
    const { data, errors, logged } = await run('{ required }');

    expect(data).toBeNull();
    expect(errors).toMatchObject([
      {
        message: 'Cannot return null for non-nullable field Query.required.',
        extensions: { code: 'EXTENSION_FAILED' },
      },
    ]);
    expect(logged.filter(isOfExtension)).toHaveLength(1);
  });

  it('fails alone among the items of a list, and among the members of an object', async () => {
    const {
      data,
      errors = [],
      logged,
    } = await run('{ supplier(instanceId: "1") { item note { text } name } }');

    expect(data.supplier).toEqual({
      item: [1, null, null, null],
      note: null,
      name: expect.any(String),
    });
    const failed = errors.map(
      ({ path, extensions }) => `${path?.slice(1).join('.')} ${extensions['code']}`,
    );
    expect(failed).toEqual(
      ['item.1', 'item.2', 'item.3', 'note.text'].map((place) => `${place} EXTENSION_FAILED`),
    );
    expect(logged.filter(({ msg }) => msg === 'unexpected error')).toEqual([]);
  });
});

const FAILING = `
const fail = (message) => () => { throw new Error(message); };
export default {
  typeDefs: 'extend type Supplier { batch: Int  each: Int }',
  resolvers: { Supplier: { batch: { batch: fail('the service is away') }, each: fail('no') } },
};`;

it('a failed resolver is one log line per operation, however many objects need it, and not a fault of the gateway', async () => {
  const { execute, logged, metrics } = await startExtended({ 'own.js': FAILING });

  const { errors = [] } = await execute(
    '{ suppliers(first: 10) { totalCount nodes { batch each } } }',
  );

  expect(errors.length).toBeGreaterThan(4);
  expect(
    new Set(errors.map(({ message, extensions }) => `${extensions['code']} ${message}`)),
  ).toEqual(new Set(['EXTENSION_FAILED the service is away', 'EXTENSION_FAILED no']));
  expect(
    logged()
      .filter(isOfExtension)
      .map(({ field }) => field),
  ).toEqual(['Supplier.each', 'Supplier.batch']);
  expect(logged().filter(({ level }) => Number(level) > 40)).toEqual([]);
  const figures = await metrics();
  expect(figures).toMatch(/caseway_errors_total\{code="EXTENSION_FAILED"\} \d/);
  expect(figures).not.toMatch(/caseway_errors_total\{code="INTERNAL_SERVER_ERROR"\} [1-9]/);
});

it('an object that an extension makes itself may have numbers where the graph has text', async () => {
  const { execute } = await startExtended({
    'own.js': `export default {
        typeDefs: 'extend type Query { price: Decimal  total: Long }',
        resolvers: { Query: { price: () => 12.5, total: () => 7 } },
      };`,
  });

  expect((await execute('{ price total }')).data).toEqual({ price: '12.5', total: '7' });
});
