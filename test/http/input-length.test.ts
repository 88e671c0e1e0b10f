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
  it.each<[what: string, query: string, variables?: object]>([
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
  ])('%s are rejected with 400 and the limit, before any call', async (_how, query, variables) => {
    expect(await gateway.execute(query, variables)).toMatchObject({ status: 400, ...REFUSED });
    expect(gateway.calls).toEqual([]);
  });

  it('are rejected whichever way they come', async () => {
    // A shorter value at more places, for inputs that refuse a long one.
    const many = `($v: JSON!) { instances(formId: "supplier", where: [{ field: "a", value: [${times(950, '$v ')}] }]) { totalCount } }`;
    const query = `query Many ${many}`;
    const variables = { v: times(1_100, 'x') };
    const { url, calls } = await startCountedGateway({
      ...SETTINGS,
      MCP: 'all',
      PLAYGROUND: 'on',
      DOCUMENTS: writeFolder({ 'many.graphql': `"Finds many." ${query}` }),
    });
    calls.length = 0;
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    const subscription = { query: `subscription ${many}`, variables };
    const client = await connect(url);

    for (const answer of [
      await fetch(`${url}/graphql?${search}`),
      await postBody(url, { documentId: 'many', variables }),
      await postBody(url, { query, variables }, { 'x-caseway-explain': 'plan' }),
      await postBody(url, subscription, { accept: `${EVENTS}, application/json` }),
    ]) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject(REFUSED);
    }
    expect(await client.callTool({ name: 'Many', arguments: variables })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/too long for the gateway/) }],
    });
    expect(calls).toEqual([]);
  });

  it('are served where they have a million characters and no more', async () => {
    await gateway.dataOf(
      `query ($w: [CriterionInput!]) { ${many(100, (n) => `a${n}: ${LIST}`)} }`,
      { w: [{ field: 'name', value: times(3_900, 'x') }] },
    );
  });
});

describe('where and orderBy', () => {
  const WHERE = `query ($w: [CriterionInput!], $o: [OrderInput!], $s: SupplierFilterInput, $so: [SupplierOrder!]) {
    forms(where: $w, orderBy: $o) { totalCount }
    instances(formId: "supplier", where: $w, orderBy: $o) { totalCount }
    form(formId: "supplier") { instances(where: $w, orderBy: $o) { totalCount } }
    suppliers(where: $s, orderBy: $so) { totalCount }
  }`;
  const orders = (count: number) => Array(count).fill({ field: 'name', direction: 'ASC' });
  const isLong = (length: number) => {
    const value = times(length, 'x');
    return { w: [{ field: 'name', operator: 'EQ', value }], s: { name: { eq: value } } };
  };
  const values = Array(900).fill('xxxx');

  it.each([
    ['a long value', isLong(4_000)],
    [
      'many values',
      { w: [{ field: 'name', operator: 'IN', value: values }], s: { name: { in: values } } },
    ],
    [
      'both',
      { ...isLong(3_980), o: orders(3), so: Array(3).fill({ field: 'NAME', direction: 'ASC' }) },
    ],
  ])(
    'of more than 4,000 characters are rejected with the limit, before any call: %s',
    async (_what, variables) => {
      const { errors } = await gateway.execute(WHERE, variables);

      const message = expect.stringMatching(/where.*orderBy.*4000 characters/);
      const refused = { message, extensions: { code: 'BAD_USER_INPUT' } };
      expect(errors).toMatchObject(Array(4).fill(refused));
      expect(gateway.calls.filter((call) => call !== 'getForm')).toEqual([]);
    },
  );

  it('that are long in each of a hundred forms are rejected in each', async () => {
    const { errors = [] } = await gateway.execute(
      'query ($o: [OrderInput!]) { forms(first: 100) { nodes { instances(orderBy: $o) { totalCount } } } }',
      { o: orders(1_000) },
    );

    const codes = new Set(errors.map(({ extensions }) => extensions['code']));
    expect(codes).toEqual(new Set(['BAD_USER_INPUT']));
    expect(gateway.calls).toEqual(['getForms']);
  });
});
