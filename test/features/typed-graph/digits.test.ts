import { afterAll, describe, expect, it } from 'vitest';
import { type GraphqlAnswer, postGraphql, startGateway } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { connect, writeDocuments } from '../mcp/support.ts';

const FIELDS = [
  { name: 'amount', type: 'decimal' },
  { name: 'ratio', type: 'double' },
  { name: 'note', type: 'text' },
];

/** The numbers of the platform's things, as JSON. */
let numbers: readonly string[] = [];
const platform = await scriptPlatform(({ method, url }) => {
  if (method === 'POST') return { status: 201, body: { idInstance: 1 } };
  if (!url.includes('/instances')) return { body: [{ idForm: 'thing', fields: FIELDS }] };
  const rows = numbers.map(
    (number, index) =>
      `{"idInstance":${index + 1},"values":{"amount":${number},"ratio":${number},"note":"n"}}`,
  );
  return { body: `{"items":[${rows.join()}],"total":${rows.length}}` };
});
const { seen } = platform;
const { url, execute, dataOf, close } = await startGateway({ ...platform.env, TYPED_FORMS: '*' });
afterAll(() => close().then(platform.close));

const zeros = (count: number) => '0'.repeat(count);

describe('a decimal of the platform', () => {
  it.each([
    ['"1E+3"', '1000'],
    ['"-12.50e1"', '-125.0'],
    ['"0E-3"', '0.000'],
    ['1e400', `1${zeros(400)}`],
    ['-1e-400', `-0.${zeros(399)}1`],
    ['"1e1000"', `1${zeros(1_000)}`],
    ['"1e-1000"', `0.${zeros(999)}1`],
  ])('is written out digit by digit: %s', async (number, amount) => {
    numbers = [number];

    expect((await dataOf('{ things { nodes { amount } } }')).things.nodes).toEqual([{ amount }]);
  });

  it('which is invalid or has an exponent beyond ±1,000 fails its field alone', async () => {
    const wrong = ['"1e1001"', '"1e-1001"', '1e999999999', '"-1e-99999999999999999999"', '"1e1.5"'];
    numbers = [...wrong, '1'];

    const { data, errors } = await execute('{ things { nodes { amount note } } }');

    expect(data.things.nodes).toEqual([
      ...wrong.map(() => ({ amount: null, note: 'n' })),
      { amount: '1', note: 'n' },
    ]);
    expectFailed(errors, wrong, 'amount');
  });
});

it('a number that no double holds costs the float’s field alone, and is a text in JSON', async () => {
  const large = ['1e400', '-1e999', `1${zeros(400)}`];
  numbers = [...large, '1'];

  const { data, errors } = await execute('{ things { nodes { ratio values } } }');

  expect(data.things.nodes).toEqual([
    ...large.map((number) => ({
      ratio: null,
      values: { ratio: number, amount: number, note: 'n' },
    })),
    { ratio: 1, values: { ratio: 1, amount: 1, note: 'n' } },
  ]);
  expectFailed(errors, large, 'ratio');
});

/** Expects an error for a field of each of the first rows. */
function expectFailed(errors: GraphqlAnswer['errors'], rows: readonly string[], field: string) {
  expect(errors).toMatchObject(
    rows.map((_, row) => ({
      path: ['things', 'nodes', row, field],
      extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
    })),
  );
}

describe('a decimal as a literal', () => {
  it.each([
    ['1.23456789012345678e2', '"123.456789012345678"'],
    ['1.23456789012345678e-60', `"0.${zeros(59)}123456789012345678"`],
    ['-1.5e61', '-1.5e+61'],
    ['1.5E3', '1500'],
    ['123456789012345678e60', `"123456789012345678${zeros(60)}"`],
  ])('is exact in a write, alone and in bulk: %s', async (literal, written) => {
    seen.length = 0;

    await dataOf(`mutation {
      createThing(input: { values: { amount: ${literal} } }) { __typename }
      createThings(input: { items: [{ values: { amount: ${literal} } }] }) { done }
    }`);

    expect(seen.map(({ body }) => body)).toEqual(Array(2).fill(`{"values":{"amount":${written}}}`));
  });

  it.each(['1e61', '1e-61', '-1.5e62', '1e999999999', '-1e-99999999999999999999'])(
    'whose exponent stands for more than 60 zeros is refused without a call: %s',
    async (literal) => {
      seen.length = 0;

      for (const document of [
        `{ things(where: { amount: { gt: ${literal} } }) { totalCount } }`,
        `query ($d: Decimal = ${literal}) { things(where: { amount: { gt: $d } }) { totalCount } }`,
        `mutation { createThing(input: { values: { amount: ${literal} } }) { __typename } }`,
      ]) {
        expect(await execute(document), document).toMatchObject({
          status: 400,
          errors: [
            {
              message:
                'This must be written without its exponent, which stands for more than 60 zeros.',
              extensions: { code: 'BAD_USER_INPUT' },
            },
          ],
        });
      }
      expect(seen).toEqual([]);
    },
  );
});

const sendNumber = (query: string, number: string) =>
  postGraphql(
    url,
    `{"query":${JSON.stringify(query)},"variables":{"o":[1,{"p":true}],"d":${number}}}`,
  );

/** The response to an invalid value. */
const refused = (violation: object) => ({
  status: 400,
  errors: [
    { extensions: { code: 'BAD_USER_INPUT', violations: [{ constraint: 'kind', ...violation }] } },
  ],
});

const FLOAT = 'query ($d: Float) { things(where: { ratio: { gt: $d } }) { totalCount } }';

describe('a number of the variables', () => {
  it.each([
    '1e-61',
    '1e-400',
    '1e400',
    '-1e999999999',
    '1.7976931348623159e308',
    '1.23456789012345678e2',
    '1e22',
    '9007199254740993',
  ])(
    'is refused with a violation where a double does not hold it, the first time and prepared: %s',
    async (number) => {
      seen.length = 0;

      for (const query of [
        'query ($d: Decimal) { things(where: { amount: { gt: $d } }) { totalCount } }',
        'mutation ($d: Decimal) { createThing(input: { values: { amount: $d } }) { __typename } }',
      ]) {
        expect(await sendNumber(query, number)).toMatchObject(refused({}));
        expect(await sendNumber(query, number)).toMatchObject(refused({}));
      }
      expect(seen).toEqual([]);
    },
  );

  it('that is refused before its document is parsed is named by its path in the variables, by GET too', async () => {
    const variables = '{"o":{"list":[0.5,{"n":1e-400}]}}';
    seen.length = 0;

    const posted = await postGraphql(url, `{"query":"${FLOAT}","variables":${variables}}`);
    const search = new URLSearchParams({ query: FLOAT, variables });
    const gotten = await (await fetch(`${url}/graphql?${search}`)).json();

    const { errors } = refused({
      path: ['o', 'list', 1, 'n'],
      message: 'must be sent as a string, to keep all its digits',
    });
    expect([posted, gotten]).toMatchObject([{ errors }, { errors }]);
    expect(seen).toEqual([]);
  });
});

describe('a float that a double does not hold', () => {
  const message = 'must be a number that a double holds with all its digits';

  it.each([
    ['{ things(where: { ratio: { gt: FLOAT } }) { totalCount } }', ['where', 'ratio', 'gt']],
    [
      '{ things(where: { ratio: { in: [1, FLOAT] } }) { totalCount } }',
      ['where', 'ratio', 'in', 1],
    ],
    [
      'mutation { createThing(input: { values: { ratio: FLOAT } }) { __typename } }',
      ['input', 'values', 'ratio'],
    ],
    [
      'mutation { createThings(input: { items: [{ values: { ratio: FLOAT } }] }) { done } }',
      ['input', 'items', 0, 'values', 'ratio'],
    ],
    [
      '{ ...F } fragment F on Query { things(where: { ratio: { gt: FLOAT } }) { totalCount } }',
      ['where', 'ratio', 'gt'],
    ],
    ['query ($d: Float = FLOAT) { things(where: { ratio: { gt: $d } }) { totalCount } }', ['d']],
    [
      'subscription { things(where: { ratio: { gt: FLOAT } }) { totalCount } }',
      ['where', 'ratio', 'gt'],
    ],
  ])('is refused with a violation as a literal: %s', async (document, path) => {
    seen.length = 0;

    for (const literal of ['1e309', '-1e999', '1e-400', '9007199254740993', `1${zeros(400)}`]) {
      const answer = await execute(document.replace('FLOAT', literal));
      expect(answer, literal).toMatchObject(refused({ path, message }));
    }
    expect(seen).toEqual([]);
  });

  it('is refused with a violation as a number of the variables', async () => {
    const write =
      'mutation ($d: CreateThingValues!) { createThing(input: { values: $d }) { __typename } }';
    seen.length = 0;

    for (const number of ['9007199254740993', '-9007199254740993', '123456789012345678901']) {
      expect(await sendNumber(FLOAT, number)).toMatchObject(
        refused({ path: ['where', 'ratio', 'gt'], message }),
      );
      expect(await sendNumber(write, `{"ratio":${number}}`)).toMatchObject(
        refused({ path: ['input', 'values', 'ratio'], message }),
      );
    }
    for (const number of ['1e309', `1${zeros(22)}1`])
      expect(await sendNumber(FLOAT, number)).toMatchObject(refused({ path: ['d'] }));
    expect(seen).toEqual([]);
  });

  it('is refused with a violation as an argument of a tool', async () => {
    const tool = `"Finds things." ${FLOAT.replace('query', 'query Find')}`;
    const env = { ...platform.env, TYPED_FORMS: '*', MCP: 'all', DOCUMENTS: writeDocuments(tool) };
    const client = await connect((await startGateway(env)).url);
    seen.length = 0;

    const answer = await client.callTool({ name: 'Find', arguments: { d: 9007199254740992 } });

    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('$d does not fit') }],
    });
    expect(seen).toEqual([]);
  });

  it('is no integer that has no more digits, and no number with an exponent', async () => {
    const literals = [
      '9007199254740991',
      '1e22',
      '1.7976931348623157e308',
      '5e-324',
      '-0.10',
      '0e5',
    ];
    seen.length = 0;

    for (const literal of literals) {
      await dataOf(
        `mutation { createThing(input: { values: { ratio: ${literal} } }) { __typename } }`,
      );
      await dataOf(
        'mutation ($d: Float) { createThing(input: { values: { ratio: $d } }) { __typename } }',
        { d: Number(literal) },
      );
    }

    expect(seen.map(({ body }) => JSON.parse(body).values.ratio)).toEqual(
      literals.flatMap((literal) => [Number(literal), Number(literal)]),
    );
  });
});
