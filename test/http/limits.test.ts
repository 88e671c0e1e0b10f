import { describe, expect, it, vi } from 'vitest';

import { postGraphql, shareGateway, startGateway } from '../support/gateway.ts';
import { measureCpu } from '../support/processor-time.ts';

const gateway = shareGateway({ PLAYGROUND: 'off' });
const post = (body: string | Uint8Array<ArrayBuffer>) => postGraphql(gateway.url, body);

const CREATE =
  'mutation ($v: JSONObject!) { createInstance(input: { formId: "supplier", values: $v }) { instance { id } } }';
const WHERE =
  'query ($where: [CriterionInput!]) { instances(formId: "supplier", where: $where) { totalCount } }';
const FORM = 'query ($id: ID!) { form(formId: $id) { name } }';
const body = (query: string, variables = '{}') =>
  `{"query":${JSON.stringify(query)},"variables":${variables}}`;
const members = (count: number) => Array.from({ length: count }, (_, n) => `"k${n}":1`).join();

it('a variable that the operation does not define is ignored', async () => {
  expect(await post(body(FORM, '{"id":"supplier","other":1}'))).toEqual({
    status: 200,
    data: { form: { name: 'Supplier' } },
  });
});

/**
 * A fraction of many zeros that end with a one: patterns that look for zeros at an end take
 * quadratic time for it.
 */
const fraction = (zeros: number) => `1.${'0'.repeat(zeros)}1`;

it.each([
  ['the body', body(CREATE, `{"v":{"n":${fraction(240_000)}}}`)],
  [
    'the document',
    body(CREATE.replace('($v: JSONObject!)', '').replace('$v', `{ n: ${fraction(90_000)} }`)),
  ],
])('a number with very many digits in %s is rejected quickly', async (_where, text) => {
  const { cpuMs, result } = await measureCpu(() => post(text));

  expect(result.status).toBe(400);
  expect(cpuMs).toBeLessThan(2_000);
});

describe('a request beyond a limit', () => {
  const double = Array.from(
    { length: 25 },
    (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`,
  );

  it.each([
    ['a body with unclosed nesting', '['.repeat(200_000), /levels .* 65 .* 64 /],
    ['a body that ends early', '{"query":', /not JSON/],
    ['an integer beyond 2^53', body(CREATE, '{"v":{"n":9007199254740993}}'), /more digits/],
    ['many digits', body(CREATE, '{"v":{"n":1234567890123456.789}}'), /more digits/],
    ['an infinite number', body(CREATE, '{"v":{"n":-1e400}}'), /more digits/],
    ['half of a surrogate pair', body(CREATE, '{"v":{"name":"\\ud800"}}'), /surrogate/],
    ['NUL in an id', body(FORM, '{"id":"a\\u0000"}'), /\$id has a control character/],
    [
      '__proto__ among the variables',
      body(FORM, '{"id":"supplier","__proto__":{"id":"x"}}'),
      /__proto__/,
    ],
    [
      'a variable named __proto__',
      body('query ($__proto__: ID!) { form(formId: $__proto__) { name } }'),
      /__proto__/,
    ],
    [
      'fragments that double',
      body(`{ ...F0 } ${double.join(' ')} fragment F25 on Query { __typename }`),
      /selections, fragments put in: \d+ .* 5000 /,
    ],
  ])('is rejected with the limit: %s', async (_what, text, words) => {
    expect(await post(text)).toMatchObject({
      status: 400,
      errors: [{ message: expect.stringMatching(words), extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });

  it.each([
    ['a list', `[${Array(1_001).fill(1).join()}]`],
    ['members', `{${members(10_001)}}`],
    ['levels', '['.repeat(65) + ']'.repeat(65)],
  ])('of %s is rejected before it is parsed', async (_what, json) => {
    const parse = vi.spyOn(JSON, 'parse');

    const { status } = await post(body(WHERE, `{"w":${json}}`));

    expect(status).toBe(400);
    expect(parse.mock.calls.filter(([text]) => text.includes(json))).toEqual([]);
  });

  it.each([{ query: FORM, variables: '{"id":9007199254740993}' }, { query: '{a'.repeat(100) }])(
    'is rejected by GET as well: %o',
    async (search) => {
      const { status } = await fetch(
        `${gateway.url}/graphql?${new URLSearchParams({ ...search })}`,
      );

      expect(status).toBe(400);
    },
  );
});

it('__proto__ is an ordinary name in values and as an alias', async () => {
  const query = CREATE.replace('createInstance', '__proto__: createInstance');

  const { data, errors } = await post(
    body(query, '{"v":{"__proto__":{"polluted":true},"name":"x"}}'),
  );

  expect(data).toBeTypeOf('object');
  expect(JSON.stringify(errors)).toContain('__proto__');
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

describe('a request with exactly as much as a limit allows', () => {
  const nested = (count: number) => '['.repeat(count) + ']'.repeat(count);

  it.each<[what: string, limit: number, text: (count: number) => string]>([
    ['items of a list', 1_000, (count) => body(WHERE, `{"w":[${Array(count).fill(1).join()}]}`)],
    // The body has two members, and its variables one.
    ['members of objects', 10_000, (count) => body(WHERE, `{"w":{${members(count - 3)}}}`)],
    ['levels of lists and objects', 64, (count) => body(WHERE, `{"w":${nested(count - 2)}}`)],
    ['characters of a string', 100_000, (count) => body(WHERE, `{"w":"${'a'.repeat(count)}"}`)],
    ['characters of an id', 1_024, (count) => body(FORM, `{"id":"${'a'.repeat(count)}"}`)],
    ['characters of a document’s name', 256, (count) => `{"documentId":"${'a'.repeat(count)}"}`],
    ['bytes', 262_144, (count) => body('{ __typename }').padEnd(count)],
    ['tokens of a document', 2_000, (count) => body(`{ ${'__typename '.repeat(count - 2)} }`)],
  ])('of %s (%i) is not refused for it, and with one more it is', async (_what, limit, text) => {
    const message = expect.stringContaining(`${limit}`);
    const exact = await post(text(limit));
    const more = await post(text(limit + 1));

    expect(exact.errors ?? []).not.toContainEqual(expect.objectContaining({ message }));
    expect([400, 413, 200]).toContain(more.status);
    expect(more.errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  it('of calls or fields is executed, and with one more is refused', async () => {
    const calls =
      '{ form(formId: "supplier") { name } instances(formId: "supplier") { nodes { values } } }';
    const ids = Array.from({ length: 197 }, (_, n) => `f${n}: instanceId`).join(' ');
    // A hundred rows of 197 fields are 19,702 with their list, and of two fields 202.
    const fields = (count: number) => `{
      instances(formId: "supplier", first: 100) { nodes { ${ids} } }
      forms(first: 100) { nodes { formId name } }
      others: forms(first: ${count - 19_906}) { nodes { formId } }
    }`;
    const codesOf = async (query: string, execute = gateway.execute) =>
      (await execute(query)).errors?.map(({ extensions }) => extensions['code']);
    const codesWith = async (COST_MAX_CALLS: string) =>
      codesOf(calls, (await startGateway({ COST_MAX_CALLS })).execute);

    const refused = ['COST_EXCEEDED'];
    expect([await codesWith('2'), await codesWith('1')]).toEqual([undefined, refused]);
    expect([await codesOf(fields(20_000)), await codesOf(fields(20_001))]).toEqual([
      undefined,
      refused,
    ]);
  });
});

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
    const message = 'The request body is not UTF-8.';
    expect(await post(withBytes(...bytes))).toMatchObject({
      status: 400,
      errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });

  it('differs from UTF-8 and from a byte order mark before it', async () => {
    for (const bytes of [
      withBytes(...Buffer.from('é')),
      Buffer.concat([Buffer.from('\u{feff}'), withBytes()]),
    ]) {
      expect(await post(bytes)).toEqual({ status: 200, data: { form: null } });
    }
  });
});
