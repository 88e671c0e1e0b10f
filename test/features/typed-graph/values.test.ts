import { afterAll, describe, expect, it } from 'vitest';

import { type Env, startGateway } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { writeDialect } from '../../support/write-dialect.ts';

/** The fields of the form `thing`: one of each type. */
const FIELDS = [
  ...['boolean', 'date', 'datetime', 'decimal', 'number', 'integer', 'text'].map((type) => ({
    name: type,
    type,
  })),
  { name: 'select', type: 'select', options: ['OPEN', 'CLOSED'] },
  { name: 'target', type: 'reference', reference: 'thing' },
];

/** Answers a read of one of these rows, or of their list, which may be searched by ids. */
function answerRead(url: string, rows: readonly string[]) {
  const [, id] = /\/instances\/(-?\d+)$/.exec(url) ?? [];
  const row = rows[Number(id) - 1];
  if (id !== undefined) return row === undefined ? { status: 404, body: {} } : { body: row };
  const [, ids] = /search=idInstance%3Din%3A([^&]*)/.exec(url) ?? [];
  const wanted = ids?.split('%7C').map(Number);
  const found = rows.filter((_, index) => wanted?.includes(index + 1) ?? true);
  return { body: `{"items":[${found.join()}],"total":${found.length}}` };
}

/** Starts a gateway before a platform whose things have the values that `fill` sets. */
async function startThings(env: Env = {}) {
  let rows: readonly string[] = [];
  const platform = await scriptPlatform(({ method, url }) => {
    if (method === 'POST') return { status: 201, body: { idInstance: 1 } };
    if (!url.includes('/instances')) return { body: [{ idForm: 'thing', fields: FIELDS }] };
    return answerRead(url, rows);
  });
  const gateway = await startGateway({ ...platform.env, TYPED_FORMS: '*', ...env });
  platform.seen.length = 0;
  return {
    ...gateway,
    seen: platform.seen,
    /** Sets the values of one field, each as JSON. */
    fill(field: string, values: readonly string[]) {
      rows = values.map(
        (value, index) => `{"idInstance":${index + 1},"values":{"${field}":${value}}}`,
      );
    },
    close: () => gateway.close().then(platform.close),
  };
}

const things = await startThings();
afterAll(things.close);

const INVALID = 'UPSTREAM_INVALID_RESPONSE';

/** Reads values of a field. A value with an error is the error's code. */
async function readAll(
  field: string,
  values: readonly string[],
  { fill, execute } = things,
): Promise<readonly unknown[]> {
  fill(field, values);
  const selection = field === 'target' ? '{ instanceId }' : '';
  const { data, errors = [] } = await execute(
    `{ things(first: 100) { nodes { v: ${field} ${selection} } } }`,
  );
  const codes = new Map(errors.map(({ path = [], extensions }) => [path[2], extensions['code']]));
  return data.things.nodes.map(
    ({ v }: { readonly v: unknown }, row: number) => codes.get(row) ?? v,
  );
}

type Row = readonly [value: string, read: unknown];

/** Expects that each value of a field, as JSON, is read as the table has it. */
async function expectRead(field: string, table: readonly Row[], on = things) {
  const values = table.map(([value]) => value);

  const read = await readAll(field, values, on);

  expect(values.map((value, index) => [value, read[index]])).toEqual(table);
}

const as = (read: unknown, ...values: readonly string[]) =>
  values.map((value): Row => [value, read]);
const invalid = (...values: readonly string[]) => as(INVALID, ...values);
const EMPTY = as(null, '""', 'null');

describe('a value of the platform', () => {
  it('that is a boolean is true, false, 1, 0, or one of these as a text in any case', () =>
    expectRead('boolean', [
      ...as(true, 'true', '1', '1.0', '"true"', '"True"', '"TRUE"', '"1"'),
      ...as(false, 'false', '0', '"false"', '"False"', '"FALSE"', '"0"'),
      ...EMPTY,
      ...invalid('"yes"', '"on"', '"t"', '" true"', '2', '-1', '0.5', '"01"', '[]', '[true]', '{}'),
    ]));

  it('that is a date is a day, or a day with a time, which does not move it', () =>
    expectRead('date', [
      ...as(
        '2026-01-31',
        '"2026-01-31"',
        '"2026-01-31T00:00:00Z"',
        '"2026-01-31T23:00:00.000Z"',
        '"2026-01-31T00:00:00+02:00"',
        '"2026-01-31 00:00:00"',
        '"2026-01-31T00:00"',
        '"2026-01-31T00:00:00-0300"',
        '"2026-01-31T00:00:00+01:00[Europe/Berlin]"',
      ),
      ['"0001-01-01T00:00:00"', '0001-01-01'],
      ...EMPTY,
      ...invalid('"2026-01-31xyz"', '"2026-01-31 "', '"2026-01-31T"', '"2026-01-31Z"'),
      ...invalid('"2026-01-31T25:00:00Z"', '"2026-01-31T00:00:00Zulu"'),
      ...invalid('"2026-02-30"', '"2026-02-30T00:00:00Z"', '"0000-00-00"'),
      ...invalid('"20260131"', '"2026-1-31"', '"01/31/2026"', '"31.01.2026"'),
      ...invalid('1769817600000', '20260131', 'false', '[]', '{}'),
      ...invalid('{"$date":"2026-01-31T00:00:00Z"}'),
    ]));

  it('that is a date and time may have any offset of ISO 8601, and a zone after it', () =>
    expectRead('datetime', [
      ...as(
        '2026-01-31T12:00:00.000Z',
        '"2026-01-31T12:00:00Z"',
        '"2026-01-31T12:00:00z"',
        '"2026-01-31t12:00:00Z"',
        '"2026-01-31T12:00:00.000+0000"',
        '"2026-01-31 12:00:00"',
        '"2026-01-31T12:00"',
        '"2026-01-31 12:00:00+00"',
        '"2026-01-31T12:00:00Z[UTC]"',
        '"2026-01-31T14:00:00+02"',
        '"2026-01-31T06:30:00-0530"',
        '"2026-01-31T17:45:00+05:45"',
        '"2026-01-31T13:00:00+01:00[Europe/Berlin]"',
        '"2026-01-31T13:00:00+01[Europe/Berlin][u-ca=iso8601]"',
      ),
      ['"2026-01-31 12:00:00.123456"', '2026-01-31T12:00:00.123Z'],
      ['"2026-01-31T12:00:00.1234567Z"', '2026-01-31T12:00:00.123Z'],
      ['"2026-01-31T24:00:00Z"', '2026-02-01T00:00:00.000Z'],
      ...EMPTY,
      ...invalid('"2026-01-31T12:00:00[Europe/Berlin]"', '"2026-01-31T12:00:00+01:00[]"'),
      ...invalid('"2026-01-31T12:00:00+1"', '"2026-01-31T12:00:00+02:"'),
      ...invalid('"2026-01-31T12:00:00+99:99"', '"2026-01-31T12:00:00 +0100"'),
      ...invalid('"2026-01-31T12:00:00.Z"', '"2026-01-31T12:00:00,123Z"'),
      ...invalid('"2026-06-30T23:59:60Z"', '"2026-01-31"', '"Sat, 31 Jan 2026 12:00:00 GMT"'),
      ...invalid('"/Date(1769860800000)/"', '1769860800000', '"1769860800000"', 'true', '[]', '{}'),
    ]));

  it.each([
    ['epoch-ms', '1769860800123', '1769860800123.99', '1969-12-31T23:59:59.000Z'],
    ['epoch-s', '1769860800.123', '1769860800.12399', '1969-12-31T23:43:20.000Z'],
  ])(
    'that is a date and time is read as %s if the dialect has this form',
    async (datetime, time, longer, beforeEpoch) => {
      const dialect = writeDialect({ form: { datetime } });
      const table = [
        ...as('2026-01-31T12:00:00.123Z', time, longer, `"${time}"`),
        ...as('2026-01-31T12:00:00.000Z', '"2026-01-31T12:00:00Z"'),
        ...as('1970-01-01T00:00:00.000Z', '0'),
        ...as(beforeEpoch, '-1000'),
        ...EMPTY,
        ...invalid('"later"', '1e300', '253402300800000', '"1769860800000x"', 'true', '[1]'),
      ];

      await expectRead('datetime', table, await startThings({ UPSTREAM_DIALECT: dialect }));
    },
  );

  it('that is a decimal may lack a digit before or after the point, and may have a sign', () =>
    expectRead('decimal', [
      ['"12.50"', '12.50'],
      ['12.5', '12.5'],
      ['".5"', '0.5'],
      ['"-.5"', '-0.5'],
      ['"+.50"', '0.50'],
      ['"5."', '5'],
      ['"+5"', '5'],
      ['"-5."', '-5'],
      ['".5e1"', '5'],
      ['"5.e-1"', '0.5'],
      ['"007.10"', '007.10'],
      ['"-0"', '-0'],
      ...EMPTY,
      ...invalid('"."', '"+"', '"e5"', '".e5"', '"+-5"', '"5.5."', '"1_000"', '" 12.50 "'),
      ...invalid('"1,234.50"', '"12.50 EUR"', '"NaN"', 'true', '[]', '{"amount":"12.50"}'),
    ]));

  it('that is a double may be written in these ways too', () =>
    expectRead('number', [
      ['7', 7],
      ['"7"', 7],
      ['".5"', 0.5],
      ['"+5."', 5],
      ...invalid('"."', '"Infinity"', '"0x10"', 'true'),
    ]));

  it('that is a whole number has nothing but digits', () =>
    expectRead('integer', [
      ...as('5', '5', '"5"', '5.0'),
      ['9223372036854775807', '9223372036854775807'],
      ...EMPTY,
      ...invalid('"5.0"', '5.5', '"007"', '"+5"', '" 5"', '"1e3"', 'false', '[5]'),
      ...invalid('9223372036854775808'),
    ]));

  it('that is a text may be a number or a boolean, with all digits', () =>
    expectRead('text', [
      ['"a"', 'a'],
      ['1', '1'],
      ['true', 'true'],
      ['12345678901234567890', '12345678901234567890'],
      ['""', ''],
      ['null', null],
      ...invalid('[]', '["a"]', '{}', '{"value":"a","display_value":"A"}'),
    ]));

  it('that is a reference is an id, a pair of id and name, or an object with the id, also under data', () =>
    expectRead('target', [
      ...as({ instanceId: '2' }, '2', '"2"', '2.0'),
      ...as({ instanceId: '2' }, '[2,"Name"]', '["2","Name"]', '[2,"8"]', '[2]', '["2"]'),
      ...as({ instanceId: '2' }, '{"idInstance":2}', '{"id":"2","name":"x"}', '{"d":2}'),
      ...as({ instanceId: '2' }, '{"link":"/x/2","value":"2"}', '{"id":2,"data":{"id":8}}'),
      ...as({ instanceId: '2' }, '{"data":{"id":2,"attributes":{}}}', '{"data":2}', '{"data":[2]}'),
      ...as(null, 'null', '""', '[]', '{}', '{"data":null}', '{"data":[]}', '[null]', '[""]'),
      // Instances that are not there.
      ...as(null, '0', '-1'),
      ...invalid('"https://x/v1.0/forms/thing/instances/2"', 'false', 'true', '"abc"'),
      ...invalid('2.5', '"2.0"', '" 2"', '9223372036854775808'),
      ...invalid('[2,3]', '["2","3"]', '[2,"3","4"]', '[[2,3]]', '["Name",2]'),
      ...invalid('{"name":"x"}', '{"data":{"name":"x"}}', '{"data":[1,2]}', '{"id":{"id":2}}'),
    ]));

  it.each([
    ['boolean', 'form.types'],
    ['datetime', 'form.types and form.datetime'],
    ['decimal', 'form.types'],
  ])(
    'that is unreadable is named by its field and by what describes it, and never quoted: %s',
    async (type, members) => {
      things.fill(type, ['"a value of theirs"']);

      const { errors } = await things.execute(`{ things { nodes { ${type} } } }`);

      expect(errors?.map(({ message }) => message)).toEqual([
        `The platform’s response is unreadable. The field "${type}" has a value that is no ${type}: see ${members} of the dialect.`,
      ]);
    },
  );
});

describe('a value that is not among the options any more', () => {
  const values = Array.from({ length: 60 }, (_, row) => (row % 2 === 0 ? '"LEGACY"' : '"OPEN"'));

  it('gives one error for each field and list, however many rows have one', async () => {
    things.fill('select', values);

    const { data, errors } = await things.execute(`{
      a: things(first: 60) { nodes { select again: select } }
      b: things(first: 50) { edges { node { select } } }
      one: things(first: 1) { nodes { ... on Instance { ... on Thing { select } } } }
    }`);

    expect(data.a.nodes.slice(0, 2)).toEqual([
      { select: null, again: null },
      { select: 'OPEN', again: 'OPEN' },
    ]);
    expect(data.a.nodes.filter(({ select }: { select: unknown }) => select === null)).toHaveLength(
      30,
    );
    expect(errors?.map(({ path }) => path?.join('.'))).toEqual([
      'a.nodes.0.select',
      'a.nodes.0.again',
      'b.edges.0.node.select',
      'one.nodes.0.select',
    ]);
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining('no longer, among its options'),
      extensions: { code: INVALID },
    });
    expect(errors?.[0]?.message).not.toContain('LEGACY');
  });

  it('gives an error for each instance that is read alone', async () => {
    things.fill('select', values);

    const { errors } = await things.execute(
      '{ a: thing(instanceId: 1) { select } b: thing(instanceId: 3) { select } }',
    );

    expect(errors?.map(({ path }) => path)).toEqual([
      ['a', 'select'],
      ['b', 'select'],
    ]);
  });

  it('is read and found by the generic graph', async () => {
    things.fill('select', values);
    things.seen.length = 0;

    const data = await things.dataOf(`{
      instances(formId: "thing", first: 1, where: [{ field: "select", operator: EQ, value: "LEGACY" }]) {
        nodes { value(field: "select") }
      }
    }`);

    expect(data.instances.nodes).toEqual([{ value: 'LEGACY' }]);
    expect(decodeURIComponent(things.seen[0]?.url ?? '')).toContain('search=select=eq:LEGACY');
  });
});

/** Members of the dialect, with values as they are written to the platform, and searches for them. */
const DIALECTS: readonly {
  readonly form: object;
  readonly written: readonly (readonly [input: string, body: string])[];
  readonly searched: readonly (readonly [where: string, search: string])[];
}[] = [
  {
    form: {},
    written: [
      ['boolean: true', '"boolean":true'],
      ['datetime: "2026-01-31T12:00:00.5+02:00"', '"datetime":"2026-01-31T10:00:00.500Z"'],
    ],
    searched: [
      ['boolean: { eq: true }', 'boolean=eq:true'],
      ['datetime: { gte: "2026-01-31" }', 'datetime=ge:2026-01-31'],
      ['datetime: { eq: "2028-02-28" }', 'datetime=ge:2028-02-28,datetime=lt:2028-02-29'],
      ['datetime: { eq: "9999-12-31" }', 'datetime=ge:9999-12-31'],
    ],
  },
  {
    form: { writtenBoolean: 'number', writtenDatetime: 'epoch-ms', writtenDecimal: 'text' },
    written: [
      ['boolean: true', '"boolean":1'],
      ['boolean: false', '"boolean":0'],
      ['datetime: "2026-01-31T12:00:00.123Z"', '"datetime":1769860800123'],
    ],
    searched: [
      ['boolean: { eq: true }', 'boolean=eq:1'],
      ['boolean: { ne: false }', 'boolean=ne:0'],
      ['datetime: { gte: "2026-01-31" }', 'datetime=ge:1769817600000'],
      ['decimal: { gt: 12.50 }', 'decimal=gt:12.50'],
    ],
  },
  {
    form: { writtenBoolean: 'text', writtenDatetime: 'epoch-s' },
    written: [
      ['boolean: false', '"boolean":"false"'],
      ['boolean: null', '"boolean":null'],
      ['datetime: "2026-01-31T12:00:00Z"', '"datetime":1769860800'],
      ['datetime: "2026-01-31T12:00:00.123Z"', '"datetime":1769860800.123'],
      ['datetime: null', '"datetime":null'],
    ],
    searched: [
      ['boolean: { ne: false }', 'boolean=ne:false'],
      ['datetime: { lt: "2026-01-31" }', 'datetime=lt:1769817600'],
      ['date: { in: ["2026-01-31", "2026-02-01"] }', 'date=in:2026-01-31|2026-02-01'],
    ],
  },
  {
    form: { writtenDatetime: 'epoch-s', assumedOffset: '+02:00' },
    written: [],
    searched: [
      ['datetime: { lt: "2026-01-31" }', 'datetime=lt:1769810400'],
      ['datetime: { eq: "2026-01-31" }', 'datetime=ge:1769810400,datetime=lt:1769896800'],
    ],
  },
];

it.each(DIALECTS)(
  'values are written and searched for as the dialect has it: $form',
  async ({ form, written, searched }) => {
    const { dataOf, seen } = await startThings({ UPSTREAM_DIALECT: writeDialect({ form }) });

    for (const [input, body] of written) {
      seen.length = 0;
      await dataOf(`mutation {
        createThing(input: { values: { ${input} } }) { __typename }
        createThings(input: { items: [{ values: { ${input} } }] }) { done }
      }`);
      expect(seen.map((request) => request.body)).toEqual(Array(2).fill(`{"values":{${body}}}`));
    }
    for (const [where, search] of searched) {
      seen.length = 0;
      await dataOf(`{ things(where: { ${where} }) { totalCount } }`);
      const [request] = seen;
      const { searchParams } = new URL(request?.url ?? '', 'http://platform');
      expect(searchParams.get('search')).toBe(search);
    }
  },
);
