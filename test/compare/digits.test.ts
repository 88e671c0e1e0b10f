import {
  array,
  assert,
  asyncProperty,
  bigInt,
  constantFrom,
  oneof,
  record,
  stringMatching,
} from 'fast-check';
import { expect, it } from 'vitest';

import { subscribe } from '../features/live/support.ts';
import { connect, writeDocuments } from '../features/mcp/support.ts';
import { exactNumber, parseExact } from '../features/typed-graph/support/exact-json.ts';
import { postGraphql, startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';
import { DIGITS, PATIENT, SEED, say, TIMEOUT_MS } from './support/settings.ts';

/** A decimal as JSON and GraphQL write it, and an int64. */
interface Numbers {
  readonly amount: string;
  readonly count: string;
}

const FORM = {
  idForm: 'thing',
  fields: [
    { name: 'amount', type: 'decimal' },
    { name: 'count', type: 'long' },
  ],
};

/** How many rows a list has, and items a bulk write. */
const ROWS = 20;
const PLAIN = /^-?\d+(\.\d+)?$/;

const anyNumbers = record<Numbers>({
  amount: oneof(
    stringMatching(/^-?(?:0|[1-9]\d{0,24})(?:\.\d{1,24})?(?:[eE][+-]?[1-5]?\d)?$/),
    constantFrom(...['0', '-0', '-0.0e5', '1e60', '1E-60', '0.1', '1e21', '1e-7', '1.10e1']),
    constantFrom('9007199254740991', '9007199254740992', '9007199254740993'),
    constantFrom('0.30000000000000004', '1.7976931348623157e76'),
  ),
  count: bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
});

const LIST = 'things(first: 20) { nodes { amount count } }';
const TOOLS = [
  `"Lists things." query Things { ${LIST} }`,
  '"Makes a thing." mutation Make($a: Decimal, $c: Long) { createThing(input: { values: { amount: $a, count: $c } }) { __typename } }',
];

/** A platform whose things hold the numbers that the test sets, and a gateway before it. */
async function start() {
  const state = { rows: '' };
  const platform = await scriptPlatform(({ method, url }) => {
    if (method === 'POST') return { status: 201, body: { idInstance: 1 } };
    return url.includes('/instances')
      ? { body: `{"items":[${state.rows}],"total":${ROWS}}` }
      : { body: [FORM] };
  });
  const gateway = await startGateway({
    ...platform.env,
    ...PATIENT,
    TYPED_FORMS: '*',
    CACHE_INSTANCES_MS: '0',
    MCP: 'all',
    DOCUMENTS: writeDocuments(...TOOLS),
    UPSTREAM_CALLS_PER_MINUTE: '1000000',
  });
  return { state, gateway, seen: platform.seen, client: await connect(gateway.url) };
}

type Started = Awaited<ReturnType<typeof start>>;

const exact = ({ amount, count }: Numbers): Numbers => ({
  amount: exactNumber(amount),
  count: exactNumber(count),
});

/** Expects that a list has the numbers of the platform, written out. */
function expectRows(data: unknown, all: readonly Numbers[]): void {
  const { nodes } = (data as { readonly things: { readonly nodes: readonly Numbers[] } }).things;
  expect(nodes.filter(({ amount }) => !PLAIN.test(amount))).toEqual([]);
  expect(nodes.map(exact)).toEqual(all.map(exact));
}

/**
 * Reads a list of them: by an operation that is new and prepared, by a live query and by a tool.
 */
async function read(all: readonly Numbers[], { state, gateway, client }: Started): Promise<void> {
  state.rows = all
    .map(({ amount, count }, index) => {
      const values =
        index % 2 === 0
          ? `"amount":${amount},"count":${count}`
          : `"amount":"${amount}","count":"${count}"`;
      return `{"idInstance":${index + 1},"values":{${values}}}`;
    })
    .join();
  for (const _ of [1, 2]) expectRows((await gateway.execute(`{ ${LIST} }`)).data, all);
  const stream = await subscribe(gateway.url, `subscription { ${LIST} }`);
  expectRows((await stream.next()).data, all);
  stream.close();
  const { structuredContent } = await client.callTool({ name: 'Things', arguments: {} });
  expectRows((structuredContent as { readonly data?: unknown }).data ?? structuredContent, all);
}

/**
 * Filters by each of them as a literal, and by those without an exponent as a text in a variable.
 */
async function filter(all: readonly Numbers[], { gateway, seen }: Started): Promise<void> {
  const conditions = all.map(
    ({ amount, count }) => `amount: { gte: ${amount} }, count: { in: [${count}] }`,
  );
  const fields = conditions.map(
    (where, index) => `f${index}: things(where: { ${where} }) { totalCount }`,
  );
  const plain = all.filter(({ amount }) => PLAIN.test(amount));
  const query =
    'query ($a: Decimal, $c: [Long!]) { things(where: { amount: { gte: $a }, count: { in: $c } }) { totalCount } }';

  expect((await gateway.execute(`{ ${fields.join(' ')} }`)).errors).toBeUndefined();
  for (const { amount: a, count: c } of plain) await gateway.execute(query, { a, c: [c] });

  const found = seen.splice(0).map(({ url }): Numbers => {
    const search = new URL(url, 'http://platform').searchParams.get('search') ?? '';
    const [, amount = '', count = ''] =
      /^amount=ge:([-\d.]+),count=in:([-\d]+)$/.exec(search) ?? [];
    return exact({ amount, count });
  });
  expect(sorted(found)).toEqual(sorted(all.map(exact)));
}

/** Equal requests at the same time share a call. */
const sorted = (all: readonly Numbers[]): string[] =>
  [...new Set(all.map((one) => JSON.stringify(one)))].sort();

/** Writes each of them as a literal, alone and in bulk, and those without an exponent by a tool. */
async function write(all: readonly Numbers[], { gateway, seen, client }: Started): Promise<void> {
  const values = all.map(({ amount, count }) => `values: { amount: ${amount}, count: ${count} }`);
  const single = values.map(
    (given, index) => `m${index}: createThing(input: { ${given} }) { __typename }`,
  );
  const items = values.map((given) => `{ ${given} }`);

  expect((await gateway.execute(`mutation { ${single.join(' ')} }`)).errors).toBeUndefined();
  expect(written(seen)).toEqual(all.map(exact));
  await gateway.execute(`mutation { createThings(input: { items: [${items.join()}] }) { done } }`);
  expect(sorted(written(seen))).toEqual(sorted(all.map(exact)));
  const plain = all.filter(({ amount }) => PLAIN.test(amount));
  for (const { amount: a, count: c } of plain)
    await client.callTool({ name: 'Make', arguments: { a, c } });
  expect(written(seen)).toEqual(plain.map(exact));
}

/** Returns the numbers that the platform received since the last call of this function. */
function written(seen: Started['seen']): Numbers[] {
  return seen.splice(0).map(({ body }) => {
    const { values } = parseExact(body) as { readonly values: Numbers };
    // A number is marked as one; a text holds digits that no double holds.
    const digits = (text: string) =>
      text.startsWith('#') ? text.slice(1) : exactNumber(text.slice(1));
    return { amount: digits(values.amount), count: digits(values.count) };
  });
}

/**
 * Sends each of them as a number of the variables: the platform gets it exactly, or it is refused
 * with a violation.
 */
async function send(all: readonly Numbers[], { gateway: { url }, seen }: Started): Promise<number> {
  let taken = 0;
  const [, make = ''] = TOOLS;
  for (const { amount } of all) {
    const body = `{"query":${JSON.stringify(make)},"variables":{"a":${amount},"c":"1"}}`;
    const { status, errors } = await postGraphql(url, body);
    const found = written(seen);
    if (errors === undefined) {
      expect(found, amount).toEqual([exact({ amount, count: '1' })]);
      taken++;
      continue;
    }
    expect([status, found], amount).toEqual([400, []]);
    expect(errors, amount).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', violations: [{ constraint: 'kind' }] } },
    ]);
  }
  return taken;
}

it(
  'any number keeps its digits through reads, filters, writes, bulk, live queries and MCP',
  async () => {
    say(`digits: ${DIGITS}, seed ${SEED}`);
    const started = await start();
    let numbers = 0;
    let taken = 0;
    const property = asyncProperty(
      array(anyNumbers, { minLength: ROWS, maxLength: ROWS }),
      async (all) => {
        await read(all, started);
        started.seen.splice(0);
        await filter(all, started);
        await write(all, started);
        taken += await send(all, started);
        numbers += all.length;
      },
    );

    await assert(property, { numRuns: Math.ceil(DIGITS / ROWS), seed: SEED, endOnFailure: true });

    say(`digits: ${numbers} numbers, of which ${taken} were taken as numbers of variables`);
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(numbers);
  },
  TIMEOUT_MS,
);
