import { describe, expect, it, vi } from 'vitest';

import { postGraphql, shareGateway, startGateway } from '../support/gateway.ts';

const gateway = shareGateway({ PLAYGROUND: 'off' });

const CREATE =
  'mutation ($v: JSONObject!) { createInstance(input: { formId: "supplier", values: $v }) { instance { id } } }';
const WHERE =
  'query ($where: [CriterionInput!]) { instances(formId: "supplier", where: $where) { totalCount } }';
const FORM = 'query ($id: ID!) { form(formId: $id) { name } }';
const body = (query: string, variables: string) =>
  `{"query":${JSON.stringify(query)},"variables":${variables}}`;
const members = (count: number) => Array.from({ length: count }, (_, n) => `"k${n}":1`).join();

const REFUSED: readonly [what: string, body: string, words: RegExp][] = [
  ['a body with unclosed nesting', '['.repeat(200_000), /levels .* 65 .* 64 /],
  ['a body that ends early', '{"query":', /not JSON/],
  ['a deeply nested body', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, /levels .* 65 .* 64 /],
  ['an integer beyond 2^53', body(CREATE, '{"v":{"n":9007199254740993}}'), /more digits/],
  [
    'a fraction with too many digits',
    body(CREATE, '{"v":{"n":1234567890123456.789}}'),
    /more digits/,
  ],
  ['an infinite number', body(CREATE, '{"v":{"n":1e400}}'), /more digits/],
  ['a larger number', body(CREATE, '{"v":{"n":1e999}}'), /more digits/],
  ['a number below zero', body(CREATE, '{"v":{"n":-1e9999}}'), /more digits/],
  ['half of a surrogate pair', body(CREATE, '{"v":{"name":"\\ud800"}}'), /surrogate/],
  ['NUL in an id', body(FORM, '{"id":"a\\u0000"}'), /\$id has a control character/],
  [
    '__proto__ among the variables',
    body(FORM, '{"id":"supplier","__proto__":{"id":"x"}}'),
    /__proto__/,
  ],
  [
    'a variable named __proto__',
    body('query ($__proto__: ID!) { form(formId: $__proto__) { name } }', '{}'),
    /__proto__/,
  ],
  [
    'fragments that double',
    body(
      `{ ...F0 } ${Array.from({ length: 25 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`).join(' ')} fragment F25 on Query { __typename }`,
      '{}',
    ),
    /selections, fragments put in: \d+ .* 5000 /,
  ],
];

/**
 * A fraction of many zeros that end with a one: patterns that look for zeros at an end take
 * quadratic time for it.
 */
const fraction = (zeros: number) => `1.${'0'.repeat(zeros)}1`;

it('a variable that the operation does not define is ignored', async () => {
  const { status, data } = await postGraphql(
    gateway.url,
    body(FORM, '{"id":"supplier","other":1}'),
  );

  expect({ status, data }).toEqual({ status: 200, data: { form: { name: 'Supplier' } } });
});

it.each([
  ['the body', body(CREATE, `{"v":{"n":${fraction(240_000)}}}`)],
  [
    'the document',
    body(
      CREATE.replace('$v }', `{ n: ${fraction(90_000)} } }`).replace('($v: JSONObject!) ', ''),
      '{}',
    ),
  ],
])('a number with very many digits in %s is rejected quickly', async (_where, text) => {
  const startedAtMs = performance.now();
  const { status } = await postGraphql(gateway.url, text);

  expect(status).toBe(400);
  expect(performance.now() - startedAtMs).toBeLessThan(2_000);
});

describe('a request beyond a limit', () => {
  it.each(REFUSED)('is rejected with the limit: %s', async (_what, text, words) => {
    const { status, errors } = await postGraphql(gateway.url, text);

    expect(status).toBe(400);
    expect(errors).toMatchObject([
      { message: expect.stringMatching(words), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  it.each([
    ['a list', `[${Array(1_001).fill(1).join()}]`],
    ['members', `{${members(10_001)}}`],
    ['levels', '['.repeat(65) + ']'.repeat(65)],
  ])('of %s is rejected before it is parsed', async (_what, json) => {
    const parse = vi.spyOn(JSON, 'parse');

    const { status } = await postGraphql(gateway.url, body(WHERE, `{"w":${json}}`));

    expect(status).toBe(400);
    expect(parse.mock.calls.filter(([text]) => text.includes(json))).toEqual([]);
  });

  it('is rejected by GET as well', async () => {
    const query = encodeURIComponent(FORM);
    const variables = encodeURIComponent('{"id":9007199254740993}');

    expect(
      (await fetch(`${gateway.url}/graphql?query=${query}&variables=${variables}`)).status,
    ).toBe(400);
    expect((await fetch(`${gateway.url}/graphql?query=${'{a'.repeat(100)}`)).status).toBe(400);
  });
});

it('__proto__ is an ordinary name in values and as an alias', async () => {
  const query = CREATE.replace('createInstance', '__proto__: createInstance');

  const { data, errors } = await postGraphql(
    gateway.url,
    body(query, '{"v":{"__proto__":{"polluted":true},"name":"x"}}'),
  );

  expect(data).toBeTypeOf('object');
  expect(JSON.stringify(errors)).toContain('__proto__');
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

/** Bodies with a given number of items, and the limit of that number. */
const EXACT: readonly [what: string, limit: number, text: (count: number) => string][] = [
  ['items of a list', 1_000, (count) => body(WHERE, `{"w":[${Array(count).fill(1).join()}]}`)],
  // The body has two members, and its variables one.
  ['members of objects', 10_000, (count) => body(WHERE, `{"w":{${members(count - 3)}}}`)],
  [
    'levels of lists and objects',
    64,
    (count) => body(WHERE, `{"w":${'['.repeat(count - 2)}${']'.repeat(count - 2)}}`),
  ],
  ['characters of a string', 100_000, (count) => body(WHERE, `{"w":"${'a'.repeat(count)}"}`)],
  ['characters of an id', 1_024, (count) => body(FORM, `{"id":"${'a'.repeat(count)}"}`)],
  ['characters of the name of a document', 256, (count) => `{"documentId":"${'a'.repeat(count)}"}`],
  ['bytes', 262_144, (count) => body('{ __typename }', '{}').padEnd(count)],
  ['tokens of a document', 2_000, (count) => body(`{ ${'__typename '.repeat(count - 2)} }`, '{}')],
  ['rows of a page', 100, (count) => body(`{ forms(first: ${count}) { totalCount } }`, '{}')],
];

describe('a request with exactly as much as a limit allows', () => {
  it.each(EXACT)(
    'of %s (%i) is not refused for it, and with one more it is',
    async (_what, limit, text) => {
      const [exact, more] = [
        await postGraphql(gateway.url, text(limit)),
        await postGraphql(gateway.url, text(limit + 1)),
      ];

      expect(exact.errors?.map(({ message }) => message) ?? []).not.toContainEqual(
        expect.stringContaining(`${limit}`),
      );
      expect([400, 413, 200]).toContain(more.status);
      expect(more.errors).toMatchObject([
        { message: expect.stringContaining(`${limit}`), extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    },
  );

  it('of calls or fields is executed, and with one more is refused', async () => {
    const calls =
      '{ form(formId: "supplier") { name } instances(formId: "supplier") { nodes { values } } }';
    // A hundred rows of 197 fields are 19,702 with their list, and of two fields 202.
    const lists = `instances(formId: "supplier", first: 100) { nodes { ${named(197)} } } forms(first: 100) { nodes { formId name } }`;
    const fields = (count: number) =>
      `{ ${lists} others: forms(first: ${count - 19_906}) { nodes { formId } } }`;
    const codesOf = async (query: string, execute = gateway.execute) =>
      (await execute(query)).errors?.map(({ extensions }) => extensions['code']);
    const codesWith = async (COST_MAX_CALLS: string) =>
      codesOf(calls, (await startGateway({ COST_MAX_CALLS })).execute);

    expect([await codesWith('2'), await codesOf(fields(20_000))]).toEqual([undefined, undefined]);
    expect([await codesWith('1'), await codesOf(fields(20_001))]).toEqual([
      ['COST_EXCEEDED'],
      ['COST_EXCEEDED'],
    ]);
  });
});

/** Writes this number of fields of an instance, with different aliases. */
const named = (count: number) =>
  Array.from({ length: count }, (_, n) => `f${n}: instanceId`).join(' ');

describe('a request body that is no UTF-8', () => {
  const withBytes = (...bytes: readonly number[]) => {
    const [before = '', after = ''] = body(FORM, '{"id":"x-HERE"}').split('HERE');
    return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
  };

  it.each([
    ['a byte that is never one', [0xff]],
    ['a character written too long', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
  ])('is refused, and no other character is taken in its place: %s', async (_what, bytes) => {
    expect(await postGraphql(gateway.url, withBytes(...bytes))).toMatchObject({
      status: 400,
      errors: [
        { message: 'The request body is not UTF-8.', extensions: { code: 'BAD_USER_INPUT' } },
      ],
    });
  });

  it('differs from UTF-8 and from a byte order mark before it', async () => {
    for (const bytes of [
      withBytes(...Buffer.from('é')),
      Buffer.concat([Buffer.from('\u{feff}'), withBytes()]),
    ]) {
      expect(await postGraphql(gateway.url, bytes)).toEqual({ status: 200, data: { form: null } });
    }
  });
});
