import { afterEach, describe, expect, it } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { shareGateway, startGateway } from '../support/gateway.ts';

const times = (count: number, text: string) => text.repeat(count);
const many = (count: number, write: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => write(n)).join(' ');

const gateway = shareGateway({
  NODE_ENV: 'production',
  CALLER_AUTH: 'none',
  TYPED_FORMS: '*',
  FEDERATION: 'on',
  LOG_LEVEL: 'info',
});

/** Text of stack traces, product names and suggestions. */
const INTERNALS = /node_modules|\.ts:\d+|Maximum call stack|Did you mean|graphql-js/i;

const LONG = times(99_000, 'x');
const FORM = { __typename: 'Form', id: 'WyJGb3JtIiwic3VwcGxpZXIiXQ' };
const LEVEL = '{ instances { nodes { form ';

const REFUSED: readonly [what: string, reason: string, query: string, variables?: object][] = [
  ['5,000 aliases', 'tokens', `{ ${many(5_000, (n) => `a${n}: __typename`)} }`],
  ['300 aliases', 'aliases', `{ ${many(300, (n) => `a${n}: __typename`)} }`],
  ['8,000 variables', 'tokens', `query (${many(8_000, (n) => `$v${n}: Int`)}) { __typename }`],
  ['3,000 directives', 'tokens', `{ __typename ${times(3_000, '@aa ')} }`],
  ['100 levels', 'levels', `{ form(formId: "a") ${times(100, LEVEL)}{name}${times(300, '}')} }`],
  ['45,000 levels that never close', 'tokens', times(45_000, '{a')],
  // Of levels, if the parser's stack ends before 2,000 tokens are counted, and else of tokens.
  ['lists 50,000 deep in an argument', 'Too many', `{ form(formId: ${times(50_000, '[')}`],
  ['lists 50,000 deep in a type', 'tokens', `query ($a: ${times(50_000, '[')}Int) { a }`],
  [
    'rows of rows of rows',
    'fields',
    `{ forms(first: 10) { nodes { ${times(3, 'instances(first: 10) { nodes { values form {')} name ${times(3, '} } }')} } } }`,
  ],
  [
    'circular fragments',
    'not valid',
    '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
  ],
  [
    'fragments that double 90 times',
    'selections',
    `{ ...F0 } ${many(90, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`)} fragment F90 on Query { __typename }`,
  ],
  [
    'nested fields of one key',
    'pairs of fields',
    `{ ${times(110, 'form(formId: "a") { instances { nodes { form { id } } } } ')} }`,
  ],
  ['1,900 unknown fields', 'not valid', `{ ${many(1_900, (n) => `f${n}`)} }`],
  ['@defer', 'not valid', '{ ... @defer { __typename } }'],
  ['NUL', 'not valid', '{ __typename \u0000 }'],
  [
    '60 lists of 1,000 wrong items',
    'must be a whole number',
    `query (${many(60, (n) => `$v${n}: [Long!]`)}) { ${many(60, (n) => `p${n}: purchaseRequests(where: { quantity: { in: $v${n} } }) { totalCount }`)} }`,
    Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`v${n}`, Array(1_000).fill('')])),
  ],
  [
    '1,000 representations at 50 aliases',
    'too long',
    `query ($r: [_Any!]!) { ${many(50, (n) => `a${n}: _entities(representations: $r) { __typename }`)} }`,
    { r: Array(1_000).fill(FORM) },
  ],
];

describe('a gateway that gets a hostile document', () => {
  afterEach(async () => {
    expect(await gateway.execute('{ __typename }')).toMatchObject({ status: 200 });
    expect(gateway.lines).not.toEqual([]);
    expect(gateway.lines.join('\n')).not.toMatch(INTERNALS);
  });

  it.each(REFUSED)('refuses %s, and serves the next', async (_what, reason, query, variables) => {
    const { status, data, errors = [] } = await gateway.execute(query, variables);

    expect([status, data]).toEqual([400, undefined]);
    expect(errors[0]?.message).toContain(reason);
    expect(errors.length).toBeLessThanOrEqual(200);
    expect(JSON.stringify(errors)).not.toMatch(INTERNALS);
    expect(gateway.calls).toEqual([]);
  });

  it.each<[what: string, query: string, data: object, variables?: object]>([
    [
      'an id beyond 2^53',
      '{ instance(formId: "supplier", instanceId: 9007199254740993) { values } }',
      { instance: null },
    ],
    [
      'a name of 99,000 characters for a field of each row',
      'query ($f: String!) { instances(formId: "supplier", first: 100) { nodes { value(field: $f) } } }',
      { instances: { nodes: expect.any(Array) } },
      { f: LONG },
    ],
    [
      '__proto__ in a literal',
      'mutation { createInstance(input: { formId: "supplier", values: { __proto__: { a: 1 } } }) { instance { id } } }',
      expect.anything(),
    ],
  ])('answers %s, and serves the next', async (_what, query, data, variables = {}) => {
    const answer = await gateway.execute(query, variables);

    expect(answer).toMatchObject({ status: 200, data });
    expect(JSON.stringify(answer).length).toBeLessThan(200_000);
    expect(JSON.stringify(answer)).not.toMatch(INTERNALS);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });
});

it('a long variable at 900 places of a field of an extension is refused', async () => {
  const extension = `export default {
    typeDefs: 'extend type Query { own(list: [JSON]): Int }',
    resolvers: { Query: { own: () => 1 } },
  };`;
  const { execute } = await startGateway({ EXTENSIONS: writeFolder({ 'own.js': extension }) });

  const query = `query ($v: JSON) { own(list: [${times(900, '$v ')}]) }`;

  expect(await execute(query, { v: LONG })).toMatchObject({
    status: 400,
    errors: [{ message: expect.stringContaining('too long') }],
  });
  expect(await execute('{ __typename }')).toMatchObject({ status: 200 });
});
