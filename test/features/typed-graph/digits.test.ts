import { describe, expect, it } from 'vitest';
import { postGraphql, startGateway } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { connect, writeDocuments } from '../mcp/support.ts';

const FORM = {
  idForm: 'thing',
  fields: [
    { name: 'amount', type: 'decimal' },
    { name: 'ratio', type: 'double' },
    { name: 'note', type: 'text' },
  ],
};

/** Starts a platform whose things have these amounts, as JSON text. */
function startPlatform(...amounts: readonly string[]) {
  const rows = amounts.map(
    (amount, index) =>
      `{"idInstance":${index + 1},"values":{"amount":${amount},"ratio":${amount},"note":"n"}}`,
  );
  return scriptPlatform(({ method, url }) => {
    if (method === 'POST') return { status: 201, body: { idInstance: 1 } };
    return url.includes('/instances')
      ? { body: `{"items":[${rows.join()}],"total":${rows.length}}` }
      : { body: [FORM] };
  });
}

/** Starts it, and a gateway in front of it. */
async function startWith(...amounts: readonly string[]) {
  const platform = await startPlatform(...amounts);
  const gateway = await startGateway({ ...platform.env, TYPED_FORMS: '*' });
  platform.seen.splice(0);
  return { ...gateway, seen: platform.seen };
}

const AMOUNTS = '{ things(first: 20) { nodes { amount note } } }';
const zeros = (count: number) => '0'.repeat(count);

const WRITTEN_OUT: readonly [written: string, amount: string][] = [
  ['"1E+3"', '1000'],
  ['"1.5E-7"', '0.00000015'],
  ['"-12.50e1"', '-125.0'],
  ['"12.5e-1"', '1.25'],
  ['"0E-3"', '0.000'],
  ['"0.5e3"', '500'],
  ['1.23456789012345678E-7', '0.000000123456789012345678'],
  ['1.5e-7', '0.00000015'],
  ['1e400', `1${zeros(400)}`],
  ['-1e-400', `-0.${zeros(399)}1`],
  ['"1e1000"', `1${zeros(1_000)}`],
  ['"1e-1000"', `0.${zeros(999)}1`],
];

describe('a decimal of the platform', () => {
  it('is written out digit by digit', async () => {
    const { dataOf } = await startWith(...WRITTEN_OUT.map(([written]) => written));

    const data = await dataOf(AMOUNTS);

    expect(data.things.nodes).toEqual(WRITTEN_OUT.map(([, amount]) => ({ amount, note: 'n' })));
  });

  it('which is invalid or has an exponent beyond ±1,000 fails its field alone', async () => {
    const wrong = [
      '"1e1001"',
      '"1e-1001"',
      '1e999999999',
      '"-1e-99999999999999999999"',
      '"1e"',
      '"e5"',
      '"0x10"',
      '"1e1.5"',
    ];
    const { execute } = await startWith(...wrong, '1');

    const { data, errors } = await execute(AMOUNTS);

    expect(data.things.nodes).toEqual([
      ...wrong.map(() => ({ amount: null, note: 'n' })),
      { amount: '1', note: 'n' },
    ]);
    const failed = (index: number) => ({
      path: ['things', 'nodes', index, 'amount'],
      extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
    });
    expect(errors).toMatchObject(wrong.map((_, index) => failed(index)));
  });
});

it('a number that no double holds costs the float’s field alone, and is a text in JSON', async () => {
  const large = ['1e400', '-1e999', `1${zeros(400)}`];
  const { execute } = await startWith(...large, '1');

  const { data, errors } = await execute('{ things { nodes { ratio values } } }');

  expect(data.things.nodes).toEqual([
    ...large.map((written) => ({
      ratio: null,
      values: { ratio: written, amount: written, note: 'n' },
    })),
    { ratio: 1, values: { ratio: 1, amount: 1, note: 'n' } },
  ]);
  const failed = (index: number) => ({
    path: ['things', 'nodes', index, 'ratio'],
    extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
  });
  expect(errors).toMatchObject(large.map((_, index) => failed(index)));
});

const EXACT: readonly [literal: string, written: string][] = [
  ['1.23456789012345678e2', '"123.456789012345678"'],
  ['1.23456789012345678e-60', `"0.${zeros(59)}123456789012345678"`],
  ['-1.5e61', '-1.5e+61'],
  ['1.5E3', '1500'],
  ['-2.50e-1', '-0.25'],
  ['1e-7', '1e-7'],
  ['12345678901234567890', '"12345678901234567890"'],
  ['123456789012345678e60', `"123456789012345678${zeros(60)}"`],
];

describe('a decimal as a literal', () => {
  it('is exact in a write, alone and in bulk', async () => {
    const { execute, seen } = await startWith();

    for (const [literal, written] of EXACT) {
      await execute(`mutation {
        createThing(input: { values: { amount: ${literal} } }) { __typename }
        createThings(input: { items: [{ values: { amount: ${literal} } }] }) { done }
      }`);
      expect(seen.splice(0).map(({ body }) => body)).toEqual(
        Array(2).fill(`{"values":{"amount":${written}}}`),
      );
    }
  });

  it('whose exponent stands for more than 60 zeros is refused without a call', async () => {
    const { execute, seen } = await startWith();

    for (const literal of [
      '1e61',
      '1e-61',
      '-1.5e62',
      '1e999',
      '1e999999999',
      '-1e-99999999999999999999',
    ]) {
      for (const document of [
        `{ things(where: { amount: { gt: ${literal} } }) { totalCount } }`,
        `query ($d: Decimal = ${literal}) { things(where: { amount: { gt: $d } }) { totalCount } }`,
        `mutation { createThing(input: { values: { amount: ${literal} } }) { __typename } }`,
      ]) {
        const { status, errors } = await execute(document);
        expect([document, status]).toEqual([document, 400]);
        expect(errors?.[0]).toMatchObject({
          message:
            'This must be written without its exponent, which stands for more than 60 zeros.',
          extensions: { code: 'BAD_USER_INPUT' },
        });
      }
    }
    expect(seen).toEqual([]);
  });
});

const sendNumber = (url: string, query: string, number: string) =>
  postGraphql(
    url,
    `{"query":${JSON.stringify(query)},"variables":{"o":[1,{"p":true}],"d":${number}}}`,
  );

describe('a number of the variables', () => {
  const FILTER = 'query ($d: Decimal) { things(where: { amount: { gt: $d } }) { totalCount } }';
  const CREATE =
    'mutation ($d: Decimal) { createThing(input: { values: { amount: $d } }) { __typename } }';
  const FLOAT = 'query ($d: Float) { things(where: { ratio: { gt: $d } }) { totalCount } }';
  const INEXACT = [
    ...[
      '1e-61',
      '1e-300',
      '1e-400',
      '1e400',
      '-1e999999999',
      '1.23456789012345e-320',
      '1.7976931348623159e308',
    ],
    ...['1.23456789012345678e2', '0.12345678901234567890', '1e22', '9007199254740993'],
  ];

  it('is refused with a violation where a double does not hold it, the first time and prepared', async () => {
    const { url, seen } = await startWith();

    for (const number of INEXACT) {
      for (const query of [FILTER, CREATE]) {
        expect(await sendNumber(url, query, number), number).toMatchObject({
          status: 400,
          errors: [
            { extensions: { code: 'BAD_USER_INPUT', violations: [{ constraint: 'kind' }] } },
          ],
        });
      }
    }
    expect(seen).toEqual([]);
  });

  it('that is refused before its document is parsed is named by its path in the variables, by GET too', async () => {
    const { url, seen } = await startWith();
    const body = { query: FLOAT, variables: 'VARIABLES' };
    const deep = '{"o":{"list":[0.5,{"n":1e-400}]}}';

    const posted = await postGraphql(url, JSON.stringify(body).replace('"VARIABLES"', deep));
    const search = new URLSearchParams({ query: FLOAT, variables: deep });
    const gotten = await (await fetch(`${url}/graphql?${search}`)).json();

    const violations = [
      {
        path: ['o', 'list', 1, 'n'],
        constraint: 'kind',
        message: 'must be sent as a string, to keep all its digits',
      },
    ];
    for (const answer of [posted, gotten]) {
      expect(answer).toMatchObject({
        errors: [{ extensions: { code: 'BAD_USER_INPUT', violations } }],
      });
    }
    expect(seen).toEqual([]);
  });
});

describe('a float that a double does not hold', () => {
  const MESSAGE = 'must be a number that a double holds with all its digits';
  const LITERALS = [
    '1e309',
    '-1e999',
    '1e-400',
    '9007199254740993',
    '0.12345678901234567890',
    `1${zeros(400)}`,
  ];
  const INTEGERS = ['9007199254740993', '-9007199254740993', '123456789012345678901'];
  const refused = (...path: readonly (string | number)[]) => ({
    status: 400,
    errors: [
      {
        extensions: {
          code: 'BAD_USER_INPUT',
          violations: [{ path, constraint: 'kind', message: MESSAGE }],
        },
      },
    ],
  });

  const DOCUMENTS: readonly [
    place: string,
    write: (literal: string) => string,
    path: readonly (string | number)[],
  ][] = [
    [
      'a filter',
      (f) => `{ things(where: { ratio: { gt: ${f} } }) { totalCount } }`,
      ['where', 'ratio', 'gt'],
    ],
    [
      'a list',
      (f) => `{ things(where: { ratio: { in: [1, ${f}] } }) { totalCount } }`,
      ['where', 'ratio', 'in', 1],
    ],
    [
      'a write',
      (f) => `mutation { createThing(input: { values: { ratio: ${f} } }) { __typename } }`,
      ['input', 'values', 'ratio'],
    ],
    [
      'an item of a bulk write',
      (f) => `mutation { createThings(input: { items: [{ values: { ratio: ${f} } }] }) { done } }`,
      ['input', 'items', 0, 'values', 'ratio'],
    ],
    [
      'a fragment',
      (f) =>
        `{ ...F } fragment F on Query { things(where: { ratio: { gt: ${f} } }) { totalCount } }`,
      ['where', 'ratio', 'gt'],
    ],
    [
      'a default',
      (f) => `query ($d: Float = ${f}) { things(where: { ratio: { gt: $d } }) { totalCount } }`,
      ['d'],
    ],
    [
      'a subscription',
      (f) => `subscription { things(where: { ratio: { gt: ${f} } }) { totalCount } }`,
      ['where', 'ratio', 'gt'],
    ],
  ];

  it.each(DOCUMENTS)(
    'is refused with a violation as a literal of %s',
    async (_place, write, path) => {
      const { execute, seen } = await startWith();

      for (const literal of LITERALS)
        expect(await execute(write(literal)), literal).toMatchObject(refused(...path));
      expect(seen).toEqual([]);
    },
  );

  it('is refused with a violation as a number of the variables', async () => {
    const { url, seen } = await startWith();
    const filter = 'query ($d: Float) { things(where: { ratio: { gt: $d } }) { totalCount } }';
    const write =
      'mutation ($d: CreateThingValues!) { createThing(input: { values: $d }) { __typename } }';

    for (const number of INTEGERS) {
      expect(await sendNumber(url, filter, number)).toMatchObject(refused('where', 'ratio', 'gt'));
      expect(await sendNumber(url, write, `{"ratio":${number}}`)).toMatchObject(
        refused('input', 'values', 'ratio'),
      );
    }
    for (const number of ['1e309', `1${zeros(22)}1`]) {
      expect(await sendNumber(url, filter, number)).toMatchObject({
        status: 400,
        errors: [
          {
            extensions: {
              code: 'BAD_USER_INPUT',
              violations: [{ path: ['d'], constraint: 'kind' }],
            },
          },
        ],
      });
    }
    expect(seen).toEqual([]);
  });

  it('is refused with a violation as an argument of a tool', async () => {
    const platform = await startPlatform();
    const tool =
      '"Finds things." query Find($d: Float) { things(where: { ratio: { gt: $d } }) { totalCount } }';
    const env = { ...platform.env, TYPED_FORMS: '*', MCP: 'all', DOCUMENTS: writeDocuments(tool) };
    const { url } = await startGateway(env);
    const client = await connect(url);
    platform.seen.splice(0);

    const answer = await client.callTool({ name: 'Find', arguments: { d: 9007199254740992 } });

    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('$d does not fit') }],
    });
    expect(platform.seen).toEqual([]);
  });

  it('is no integer that has no more digits, and no number with an exponent', async () => {
    const { execute, seen } = await startWith();
    const values = ['9007199254740991', '1e22', '1.7976931348623157e308', '5e-324', '-0.10', '0e5'];

    for (const literal of values) {
      await execute(
        `mutation { createThing(input: { values: { ratio: ${literal} } }) { __typename } }`,
      );
    }
    const variable =
      'mutation ($d: Float) { createThing(input: { values: { ratio: $d } }) { __typename } }';
    for (const literal of values) await execute(variable, { d: Number(literal) });

    const written = values.map((literal) => JSON.stringify({ values: { ratio: Number(literal) } }));
    expect(seen.map(({ body }) => body)).toEqual([...written, ...written]);
  });
});
