import { describe, expect, it } from 'vitest';

import { postGraphql, shareGateway } from '../support/gateway.ts';

const gateway = shareGateway();

const WHERE =
  'query ($where: [CriterionInput!]) { instances(formId: "supplier", where: $where) { totalCount } }';
const criterion = (value: unknown, rest = {}) => ({ where: [{ field: 'name', value, ...rest }] });

const CONDITION =
  'query ($isShort: Boolean = true) { forms @skip(if: $isShort) { totalCount } __typename }';

const NODE = 'query ($id: ID!) { node(id: $id) { id } }';

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

const REFUSED: readonly [
  what: string,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
][] = [
  ['a comma in a value of where', WHERE, criterion('a,b')],
  ['a colon in a value of where', WHERE, criterion('a:b')],
  ['an equals sign in a value of where', WHERE, criterion('a=b')],
  ['a bar in one of the values of IN', WHERE, criterion(['a|b'], { operator: 'IN' })],
  ['an object as a value of where', WHERE, criterion({ a: 1 })],
  ['a list as the value of EQ', WHERE, criterion(['a'])],
  ['a field of where that holds a comma', WHERE, { where: [{ field: 'a,b', value: 1 }] }],
  ['an operator that does not exist', WHERE, criterion('a', { operator: 'NEAR' })],
  [
    'a field to order by that starts with a sign',
    '{ forms(orderBy: [{ field: "-name" }]) { totalCount } }',
  ],
  ['the id ..', '{ form(formId: "..") { name } }'],
  ['the id .', '{ form(formId: ".") { name } }'],
  ['an empty id', '{ form(formId: "") { name } }'],
  ['an id with a control character', '{ form(formId: "a\\nb") { name } }'],
  [
    'the id .. beside a good one',
    '{ a: form(formId: "..") { name } b: form(formId: ".") { name } }',
  ],
  [
    'an instance id that is not an integer',
    '{ instance(formId: "supplier", instanceId: "1/../2") { values } }',
  ],
  [
    'an instance id beyond 64 bits',
    '{ instance(formId: "supplier", instanceId: "9223372036854775808") { values } }',
  ],
  ['a missing argument', '{ form { name } }'],
  [
    'values that are not an object',
    'mutation { createInstance(input: { formId: "supplier", values: 5 }) { instance { id } } }',
  ],
  ['a negative first', '{ forms(first: -1) { totalCount } }'],
  ['first beyond the maximum', '{ forms(first: 101) { totalCount } }'],
  ['a page further than any list goes', '{ forms(page: 2147483647, first: 100) { totalCount } }'],
  ['an operation that is not named', 'query A { __typename } query B { __typename }'],
  [
    'null where there can be none',
    'query ($id: ID = "a") { form(formId: $id) { name } }',
    { id: null },
  ],
  ['null for a condition', CONDITION, { isShort: null }],
  ['page 0', '{ forms(page: 0) { totalCount } }'],
  ['after that is not a cursor', '{ forms(after: "x") { totalCount } }'],
  ...CURSORS.map((text): (typeof REFUSED)[number] => [
    `the cursor ${text.slice(0, 30)}`,
    'query ($after: String) { forms(after: $after) { totalCount } }',
    { after: Buffer.from(text).toString('base64url') },
  ]),
  ...['', 'x', 'WyJGb3JtIl0', 'bm90aGluZw=='].map((id): (typeof REFUSED)[number] => [
    `the global id ${id}`,
    NODE,
    { id },
  ]),
  ['after and page together', '{ forms(after: "YXQ6MQ", page: 2) { totalCount } }'],
];

it.each(REFUSED)(
  'invalid input is rejected with BAD_USER_INPUT and without a call: %s',
  async (_what, query, variables) => {
    const { execute, calls } = gateway;

    const { errors, status } = await execute(query, variables);

    expect(errors?.length).toBeGreaterThan(0);
    for (const error of errors ?? []) {
      expect(error.extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        retryable: false,
        requestId: expect.any(String),
      });
      expect(error.message).not.toBe('');
    }
    expect(status).toBeLessThan(500);
    expect(calls).toEqual([]);
  },
);

it.each(['9007199254740993', '9007199254740992', '-9007199254740993', '1e20'])(
  'an id beyond 2^53 as a JSON number is rejected: %s',
  async (digits) => {
    const { url, calls } = gateway;
    const query = `mutation ($input: ExecuteActivityInput!) { executeActivity(input: $input) { case { caseId } } }`;
    const body = `{"query": ${JSON.stringify(query)}, "variables": {"input": {"caseId": ${digits}, "activityId": "1"}}}`;

    const { errors, status } = await postGraphql(url, body);

    expect(status).toBe(400);
    expect(errors).toMatchObject([
      { message: expect.stringContaining('$input.caseId'), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(calls).toEqual([]);
  },
);

it('a condition that is null leaves no data at the root, the first time and prepared', async () => {
  for (const isShort of [null, true, true, null]) {
    const { status, data } = await gateway.execute(CONDITION, { isShort });
    expect({ status, data }).toEqual({
      status: 200,
      data: isShort ? { __typename: 'Query' } : null,
    });
  }
});

describe('a client’s value', () => {
  const SECRET = 'secret:token-abc';

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
    ['a global id', NODE.replaceAll('$id', '$v')],
    [
      'a reference',
      'query ($v: String!) { instance(formId: "expense", instanceId: 1) { reference(field: $v) { id } } }',
    ],
  ])('is not repeated in an error: %s', async (_what, query) => {
    const { execute } = gateway;

    const { errors } = await execute(query, { v: SECRET });

    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).not.toContain(SECRET);
  });
});
