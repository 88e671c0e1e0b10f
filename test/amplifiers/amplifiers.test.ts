import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { type Caller, send, startGateways } from './support.ts';

let gateways: Awaited<ReturnType<typeof startGateways>>;
beforeAll(async () => {
  gateways = await startGateways();
}, 120_000);
afterAll(() => gateways?.stop());

const times = (count: number, text: string) => text.repeat(count);
const many = (count: number, write: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => write(n)).join(' ');
const longAlias = (n: number) => `a${n}`.padEnd(200, 'x');
const LINES = '\n'.repeat(90_000);

/** Writes a query that spreads fields of a type 1,024 times. `around` is text with `HERE` in it. */
const spread = (type: string, fields: string, around = 'HERE') => {
  const fragments = many(4, (n) => `fragment F${n} on ${type} { ${times(4, `...F${n + 1} `)} }`);
  return `{ ${around.replace('HERE', times(4, '...F0 '))} } ${fragments} fragment F4 on ${type} { ${fields} }`;
};
const EMPLOYEE = 'employee(instanceId: "1") { HERE }';
const ROWS = 'employees(first: 100) { nodes { HERE } }';
const FAILING = ROWS.replace(
  'HERE',
  many(50, (n) => `a${n}: reference(field: "no") { __typename }`),
);
const FORM = { __typename: 'Employee', id: 'WyJJbnN0YW5jZSIsImVtcGxveWVlIiwiMSJd' };
const NOTES = 'purchaseRequests(first: 100) { nodes { HERE } }';

/** A request that once took more than it may. */
interface Found {
  readonly what: string;
  readonly query: string;
  readonly variables?: object;
  readonly caller?: Caller;
  readonly headers?: Readonly<Record<string, string>>;
}

const FOUND: readonly Found[] = [
  {
    what: 'exponents in a fragment that is spread often',
    query: spread(
      'Employee',
      'expenses(where: { amount: { eq: 1e999 } }) { __typename }',
      EMPLOYEE,
    ),
  },
  {
    what: 'lists of exponents in a fragment that is spread often',
    query: spread(
      'Employee',
      `expenses(where: { amount: { in: [${times(100, '1e60 ')}] } }) { __typename }`,
      EMPLOYEE,
    ),
  },
  {
    what: 'escapes in a fragment that is spread often',
    query: spread(
      'Form',
      `instances(where: [{ field: "a", value: "${times(300, '\\n')}" }]) { __typename }`,
      'form(formId: "supplier") { HERE }',
    ),
    caller: 'stranger',
  },
  { what: 'errors of rows below 90,000 line ends', query: `{ ${LINES} ${FAILING} }` },
  {
    what: 'a live list with errors below 90,000 line ends',
    query: `subscription { ${LINES} ${FAILING} }`,
    headers: { accept: 'text/event-stream' },
  },
  {
    what: '1,000 wrong representations below 90,000 line ends',
    query: `query ($r: [_Any!]!) { ${LINES} _entities(representations: $r) { __typename } }`,
    variables: { r: Array(1_000).fill({ a: 1 }) },
  },
  {
    what: '1,000 representations at several aliases',
    query: `query ($r: [_Any!]!) { ${many(12, (n) => `a${n}: _entities(representations: $r) { __typename }`)} }`,
    variables: { r: Array(1_000).fill(FORM) },
  },
  {
    what: '90,000 numbers as values',
    query:
      'mutation ($v: JSONObject!) { createInstance(input: { formId: "supplier", values: $v }) { __typename } }',
    variables: { v: { a: Array(90).fill(Array(1_000).fill(1)) } },
  },
  {
    what: 'introspection in a fragment that is spread often',
    query: spread('__Type', 'name', '__schema { types { HERE } }'),
    caller: 'stranger',
  },
  {
    what: 'aliases in introspection',
    query: `{ __schema { types { fields { ${many(90, (n) => `a${n}: args { name description defaultValue }`)} } } } }`,
    caller: 'reader',
  },
  {
    what: 'long aliases in introspection',
    query: `{ __schema { types { ${many(190, (n) => `${longAlias(n)}: name`)} } } }`,
    caller: 'reader',
  },
  {
    what: 'long aliases of long texts',
    query: `{ ${NOTES.replace(
      'HERE',
      many(190, (n) => `${longAlias(n)}: notes`),
    )} }`,
  },
  {
    what: 'long texts, compressed',
    query: `{ ${many(19, (n) => `a${n}: ${NOTES.replace('HERE', 'notes title')}`)} }`,
    headers: { 'accept-encoding': 'gzip' },
  },
  {
    what: 'the SDL at 190 aliases',
    query: `{ _service { ${many(190, (n) => `a${n}: sdl`)} } }`,
    caller: 'reader',
  },
  {
    what: 'nested fields of one key, as many as are allowed',
    query: `{ ${times(58, 'form(formId: "a") { instances { nodes { form { id } } } } ')} }`,
  },
];

it.each(FOUND)(
  'a request takes at most 250 ms of CPU time and 64 MB: $what',
  async ({ query, variables, caller = 'key', headers }) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': caller, ...headers },
      body: JSON.stringify({ query, variables }),
    };

    const { status, text, excess } = await send(gateways[caller], '/graphql', init);

    expect(excess).toBeUndefined();
    expect([200, 400]).toContain(status);
    // A misspelt query is refused before it costs anything. A number may be refused on purpose.
    expect(text).not.toMatch(/(?<!FloatValue is) not valid/);
  },
);

it('a known document costs as little with 90,000 line ends before its errors', async () => {
  const query = `{ ${LINES} ${FAILING} }`;
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } };
  const initWith = (body: object) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
    body: JSON.stringify({ ...body, extensions }),
  });
  await send(gateways.key, '/graphql', initWith({ query }));

  expect(await send(gateways.key, '/graphql', initWith({}))).toMatchObject({
    status: 200,
    excess: undefined,
  });
});

it.each([
  ['Search', { where: [{ field: 'title', value: times(99_000, 'x') }] }],
  ['Filter', { names: Array(900).fill(times(100, 'x')) }],
  ['Create', { values: { name: times(99_000, 'x') } }],
  ['Bulk', { items: Array(100).fill({ instanceId: '1', values: { name: times(2_000, 'x') } }) }],
])('a tool takes at most as much: %s', async (name, args) => {
  const init = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-api-key': 'key',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    }),
  };

  expect(await send(gateways.key, '/mcp', init)).toMatchObject({ status: 200, excess: undefined });
});
