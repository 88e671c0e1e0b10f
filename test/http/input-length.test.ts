import { describe, expect, it } from 'vitest';

import { EVENTS } from '../features/live/support.ts';
import { connect } from '../features/mcp/support.ts';
import { writeFolder } from '../support/folder.ts';
import { postBody, shareGateway, startCountedGateway } from '../support/gateway.ts';

const times = (count: number, text: string) => text.repeat(count);
const many = (count: number, write: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => write(n)).join(' ');

/** A hundred copies of it exceed the limit. */
const TEXT = times(10_100, 'x');
const C = { field: 'name', value: TEXT };
const LIST = 'instances(formId: "supplier", where: $w) { totalCount }';
const FRAGMENT = 'fragment F on Form { instances(where: $w) { totalCount } }';
const SPREAD = many(100, (n) => `f${n}: form(formId: "supplier") { ...F }`);
const create = (values: string) =>
  `createInstance(input: { formId: "supplier", values: ${values} }) { instance { id } }`;

const TOO_LONG: readonly [
  what: string,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
][] = [
  [
    'by a list that names it often',
    `query ($c: CriterionInput!) { instances(formId: "supplier", where: [${times(100, '$c ')}]) { totalCount } }`,
    { c: C },
  ],
  [
    'by its default',
    `query ($c: CriterionInput! = { field: "name", value: "${TEXT}" }) { instances(formId: "supplier", where: [${times(100, '$c ')}]) { totalCount } }`,
  ],
  [
    'by aliases',
    `query ($w: [CriterionInput!]) { ${many(100, (n) => `a${n}: ${LIST}`)} }`,
    { w: [C] },
  ],
  [
    'by one item for a list',
    `query ($w: [CriterionInput!]) { ${many(100, (n) => `a${n}: ${LIST}`)} }`,
    { w: C },
  ],
  [
    'by members of an object',
    `mutation ($v: JSON) { ${create(`{ ${many(100, (n) => `f${n}: $v`)} }`)} }`,
    { v: TEXT },
  ],
  [
    'by lists in a list',
    `mutation ($v: JSON) { ${create(`{ a: [${times(10, `[${times(10, '$v ')}]`)}] }`)} }`,
    { v: TEXT },
  ],
  [
    'by names of members',
    `mutation ($v: JSON) { ${create(`{ a: [${times(100, '$v ')}] }`)} }`,
    { v: { [TEXT]: 1 } },
  ],
  [
    'by empty lists',
    `mutation ($v: JSON) { ${create(`{ a: [${times(400, '$v ')}] }`)} }`,
    { v: Array.from({ length: 1_000 }, () => []) },
  ],
  [
    'by several variables together',
    `mutation (${many(20, (n) => `$v${n}: JSON`)}) { ${create(`{ a: [${many(100, (n) => `$v${n % 20}`)}] }`)} }`,
    Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`v${n}`, TEXT])),
  ],
  [
    'by the items of a bulk write',
    `mutation ($v: JSONObject!) { createInstances(input: { formId: "supplier", items: [${times(100, '{ values: $v } ')}] }) { done } }`,
    { v: { name: TEXT } },
  ],
  [
    'by the parameters of a rule',
    `mutation ($p: RuleParameterInput!) { executeRule(input: { component: "a", version: "1", parameters: [${times(100, '$p ')}] }) { outputs { name } } }`,
    { p: { name: 'a', type: 'String', value: TEXT } },
  ],
  [
    'by a fragment that is spread often',
    `query ($w: [CriterionInput!]) { ${SPREAD} } ${FRAGMENT}`,
    { w: [C] },
  ],
  [
    'by fragments that multiply',
    `query ($w: [CriterionInput!]) { ${times(10, '...A ')} } fragment A on Query { ${times(10, '...B ')} } fragment B on Query { ${LIST} }`,
    { w: [C] },
  ],
  [
    'by a literal in a fragment that is spread often',
    `{ ${SPREAD} } ${FRAGMENT.replace('$w', `{ field: "name", value: "${TEXT}" }`)}`,
  ],
  [
    'by exponents in a fragment that is spread often',
    `{ ${SPREAD} } ${FRAGMENT.replace('$w', `{ field: "name", value: [${times(200, '1e60 ')}] }`)}`,
  ],
  [
    'by the conditions of a typed list',
    `query ($w: SupplierFilterInput) { ${many(100, (n) => `a${n}: suppliers(where: $w) { totalCount }`)} }`,
    { w: { name: { eq: TEXT } } },
  ],
  [
    'by representations',
    `query ($r: [_Any!]!) { ${many(100, (n) => `a${n}: _entities(representations: $r) { __typename }`)} }`,
    { r: [{ __typename: 'Form', id: TEXT }] },
  ],
];

/** A shorter value at more places, for inputs that refuse a long one. */
const MANY = `($v: JSON!) { instances(formId: "supplier", where: [{ field: "a", value: [${times(950, '$v ')}] }]) { totalCount } }`;
const VARIABLES = { v: times(1_100, 'x') };

const REFUSED = {
  errors: [
    {
      message: expect.stringMatching(/too long for the gateway.*1000000/),
      extensions: { code: 'BAD_USER_INPUT' },
    },
  ],
};

const SETTINGS = { TYPED_FORMS: '*', FEDERATION: 'on' };
const gateway = shareGateway(SETTINGS);

describe('arguments that are too long with each variable at every place', () => {
  it.each(TOO_LONG)(
    '%s are rejected with 400 and the limit, before any call',
    async (_how, query, variables) => {
      const { execute, calls } = gateway;

      expect(await execute(query, variables)).toMatchObject({ status: 400, ...REFUSED });
      expect(calls).toEqual([]);
    },
  );

  it('are rejected whichever way they come', async () => {
    const { url, calls } = await startCountedGateway({
      ...{ ...SETTINGS, MCP: 'all', PLAYGROUND: 'on' },
      DOCUMENTS: writeFolder({ 'many.graphql': `"Finds many." query Many ${MANY}` }),
    });
    calls.length = 0;
    const post = (body: object, headers = {}) => postBody(url, body, headers);
    const query = `query Many ${MANY}`;
    const search = new URLSearchParams({ query, variables: JSON.stringify(VARIABLES) });
    const client = await connect(url);

    const answers = {
      get: await fetch(`${url}/graphql?${search}`),
      trusted: await post({ documentId: 'many', variables: VARIABLES }),
      planned: await post({ query, variables: VARIABLES }, { 'x-caseway-explain': 'plan' }),
      live: await post(
        { query: `subscription ${MANY}`, variables: VARIABLES },
        { accept: `${EVENTS}, application/json` },
      ),
    };
    const tool = await client.callTool({ name: 'Many', arguments: VARIABLES });

    for (const answer of Object.values(answers)) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject(REFUSED);
    }
    expect(tool).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/too long for the gateway/) }],
    });
    expect(calls).toEqual([]);
  });

  it('are served where they have a million characters and no more', async () => {
    const { execute } = gateway;
    const query = `query ($w: [CriterionInput!]) { ${many(100, (n) => `a${n}: ${LIST}`)} }`;

    const { status, errors } = await execute(query, {
      w: [{ field: 'name', value: times(3_900, 'x') }],
    });

    expect([status, errors]).toEqual([200, undefined]);
  });
});

describe('where and orderBy', () => {
  const WHERE = `query ($w: [CriterionInput!], $o: [OrderInput!], $s: SupplierFilterInput, $so: [SupplierOrder!]) {
    forms(where: $w, orderBy: $o) { totalCount }
    instances(formId: "supplier", where: $w, orderBy: $o) { totalCount }
    form(formId: "supplier") { instances(where: $w, orderBy: $o) { totalCount } }
    suppliers(where: $s, orderBy: $so) { totalCount }
  }`;
  const orders = (count: number) =>
    Array.from({ length: count }, () => ({ field: 'name', direction: 'ASC' }));
  const where = (operator: string, value: unknown) => ({
    w: [{ field: 'name', operator, value }],
    s: { name: operator === 'IN' ? { in: value } : { eq: value } },
  });
  const BEYOND: readonly [what: string, variables: Readonly<Record<string, unknown>>][] = [
    ['a long value', where('EQ', times(4_000, 'x'))],
    [
      'many values',
      where(
        'IN',
        Array.from({ length: 900 }, () => 'xxxx'),
      ),
    ],
    [
      'both',
      {
        ...where('EQ', times(3_980, 'x')),
        o: orders(3),
        so: Array.from({ length: 3 }, () => ({ field: 'NAME', direction: 'ASC' })),
      },
    ],
  ];

  it.each(BEYOND)(
    'of more than 4,000 characters are rejected with the limit, before any call: %s',
    async (_what, variables) => {
      const { execute, calls } = gateway;

      const { errors = [] } = await execute(WHERE, variables);

      const expected = {
        message: expect.stringMatching(/where.*orderBy.*4000 characters/),
        extensions: { code: 'BAD_USER_INPUT' },
      };
      expect(errors).toMatchObject([expected, expected, expected, expected]);
      expect(calls.filter((call) => call !== 'getForm')).toEqual([]);
    },
  );

  it('that are long in each of a hundred forms are rejected in each', async () => {
    const { execute, calls } = gateway;
    const query =
      'query ($o: [OrderInput!]) { forms(first: 100) { nodes { instances(orderBy: $o) { totalCount } } } }';

    const { errors = [] } = await execute(query, { o: orders(1_000) });

    expect(new Set(errors.map(({ extensions }) => extensions['code']))).toEqual(
      new Set(['BAD_USER_INPUT']),
    );
    expect(calls).toEqual(['getForms']);
  });
});
