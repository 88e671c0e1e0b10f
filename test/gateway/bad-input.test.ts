import { expect, it } from 'vitest';

import { postGraphql, shareGateway } from '../support/gateway.ts';

const gateway = shareGateway();

const WHERE =
  'query ($where: [CriterionInput!]) { instances(formId: "supplier", where: $where) { totalCount } }';
const CONDITION =
  'query ($isShort: Boolean = true) { forms @skip(if: $isShort) { totalCount } __typename }';
const NODE = 'query ($id: ID!) { node(id: $id) { id } }';
const AFTER = 'query ($after: String) { forms(after: $after) { totalCount } }';

/** Cursors that the gateway did not write. */
const CURSORS = [
  'at:',
  'at:-1',
  'at:01',
  'at:9999999999',
  'at:1:',
  'at:1:x',
  'at:1:007',
  'at:1:9223372036854775808',
  'at:1:2:x',
  'at:1:2:03',
  'at:1:2:3:4',
  `at:1:${'1'.repeat(50_000)}`,
];

it.each<[what: string, query: string, variables?: object]>([
  [
    'a bar in one of the values of IN',
    WHERE,
    { where: [{ field: 'name', operator: 'IN', value: ['a|b'] }] },
  ],
  ['a list as the value of EQ', WHERE, { where: [{ field: 'name', value: ['a'] }] }],
  ['a field of where that holds a comma', WHERE, { where: [{ field: 'a,b', value: 1 }] }],
  [
    'a field to order by that starts with a sign',
    '{ forms(orderBy: [{ field: "-name" }]) { totalCount } }',
  ],
  ['the id ..', '{ form(formId: "..") { name } }'],
  ['the id .', '{ form(formId: ".") { name } }'],
  ['an empty id', '{ form(formId: "") { name } }'],
  ['an id with a control character', '{ form(formId: "a\\nb") { name } }'],
  ['two bad ids', '{ a: form(formId: "..") { name } b: form(formId: ".") { name } }'],
  [
    'an instance id that is not an integer',
    '{ instance(formId: "supplier", instanceId: "1/../2") { values } }',
  ],
  [
    'an instance id beyond 64 bits',
    '{ instance(formId: "supplier", instanceId: "9223372036854775808") { values } }',
  ],
  [
    'values that are not an object',
    'mutation { createInstance(input: { formId: "supplier", values: 5 }) { instance { id } } }',
  ],
  ['null for a condition', CONDITION, { isShort: null }],
  ...CURSORS.map((text): [string, string, object] => [
    `the cursor ${text.slice(0, 30)}`,
    AFTER,
    { after: Buffer.from(text).toString('base64url') },
  ]),
  ...['', 'x', 'WyJGb3JtIl0', 'bm90aGluZw=='].map((id): [string, string, object] => [
    `the global id ${id}`,
    NODE,
    { id },
  ]),
])(
  'invalid input is rejected with BAD_USER_INPUT and without a call: %s',
  async (_what, query, variables) => {
    const { errors = [], status } = await gateway.execute(query, variables);

    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) {
      expect(error).toMatchObject({
        message: expect.stringMatching(/./),
        extensions: { code: 'BAD_USER_INPUT', retryable: false, requestId: expect.any(String) },
      });
    }
    expect(status).toBeLessThan(500);
    expect(gateway.calls).toEqual([]);
  },
);

it.each(['9007199254740993', '9007199254740992', '-9007199254740993', '1e20'])(
  'an id beyond 2^53 as a JSON number is rejected: %s',
  async (digits) => {
    const query = `mutation ($input: ExecuteActivityInput!) { executeActivity(input: $input) { case { caseId } } }`;
    const body = `{"query": ${JSON.stringify(query)}, "variables": {"input": {"caseId": ${digits}, "activityId": "1"}}}`;

    expect(await postGraphql(gateway.url, body)).toMatchObject({
      status: 400,
      errors: [
        {
          message: expect.stringContaining('$input.caseId'),
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
    });
    expect(gateway.calls).toEqual([]);
  },
);

it('a condition that is null leaves no data at the root, the first time and prepared', async () => {
  for (const isShort of [null, true, true, null]) {
    const { status, data } = await gateway.execute(CONDITION, { isShort });
    expect([status, data]).toEqual([200, isShort ? { __typename: 'Query' } : null]);
  }
});

it.each([
  ['an id', 'query ($v: ID!) { instance(formId: "supplier", instanceId: $v) { values } }'],
  ['a rule’s version', 'query ($v: ID!) { rule(component: "a", version: $v) { name } }'],
  [
    'a value of where',
    'query ($v: JSON!) { forms(where: [{ field: "name", value: $v }]) { totalCount } }',
  ],
  [
    'a field of where',
    'query ($v: String!) { forms(where: [{ field: $v, value: 1 }]) { totalCount } }',
  ],
  ['a cursor', 'query ($v: String!) { forms(after: $v) { totalCount } }'],
  ['a global id', 'query ($v: ID!) { node(id: $v) { id } }'],
  [
    'a reference',
    'query ($v: String!) { instance(formId: "expense", instanceId: 1) { reference(field: $v) { id } } }',
  ],
])('a client’s value is not repeated in an error: %s', async (_what, query) => {
  const { errors } = await gateway.execute(query, { v: 'secret:token-abc' });

  expect(errors).toHaveLength(1);
  expect(JSON.stringify(errors)).not.toContain('secret:token-abc');
});
