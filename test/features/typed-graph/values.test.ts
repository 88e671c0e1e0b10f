import { describe, expect, it } from 'vitest';

import { startGateway } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { writeDialect } from '../../support/write-dialect.ts';

interface PlatformOptions {
  /** The members of the field besides its name, `v`. */
  readonly field: object;
  /** The values of the rows, each as JSON. */
  readonly values?: readonly string[];
  /** The section `form` of the dialect. */
  readonly form?: object;
}

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

/** Starts a gateway before a platform that has one form, `thing`, with one field. */
async function startWith({ field, values = [], form = {} }: PlatformOptions) {
  const rows = values.map((value, index) => `{"idInstance":${index + 1},"values":{"v":${value}}}`);
  const definition = { idForm: 'thing', fields: [{ name: 'v', ...field }] };
  const platform = await scriptPlatform(({ method, url }) => {
    if (method === 'POST') return { status: 201, body: { idInstance: 1 } };
    return url.includes('/instances') ? answerRead(url, rows) : { body: [definition] };
  });
  const dialect = { UPSTREAM_DIALECT: writeDialect({ form }) };
  const gateway = await startGateway({ ...platform.env, ...dialect, TYPED_FORMS: '*' });
  platform.seen.splice(0);
  return { ...gateway, seen: platform.seen };
}

const INVALID = 'UPSTREAM_INVALID_RESPONSE';

/** Reads the values of all rows; a row with an error has the error's code. */
async function readAll(options: PlatformOptions, selection = ''): Promise<readonly unknown[]> {
  const { execute } = await startWith(options);
  const { data, errors = [] } = await execute(
    `{ things(first: 100) { nodes { v ${selection} } } }`,
  );
  const codes = new Map(errors.map(({ path = [], extensions }) => [path[2], extensions['code']]));
  return data.things.nodes.map(
    ({ v }: { readonly v: unknown }, row: number) => codes.get(row) ?? v,
  );
}

/** Expects that each value is read as it should be. */
async function expectRead(
  options: Omit<PlatformOptions, 'values'>,
  table: readonly (readonly [string, unknown])[],
) {
  const values = table.map(([value]) => value);

  const read = await readAll({ ...options, values });

  expect(values.map((value, index) => [value, read[index]])).toEqual(table);
}

const invalid = (...values: readonly string[]) => values.map((value) => [value, INVALID] as const);
const EMPTY = [
  ['""', null],
  ['null', null],
] as const;

describe('a value of the platform', () => {
  it('that is a boolean is true, false, 1, 0, or one of these as a text in any case', async () => {
    await expectRead({ field: { type: 'boolean' } }, [
      ...['true', '1', '1.0', '"true"', '"True"', '"TRUE"', '"1"'].map(
        (value) => [value, true] as const,
      ),
      ...['false', '0', '"false"', '"False"', '"FALSE"', '"0"'].map(
        (value) => [value, false] as const,
      ),
      ...EMPTY,
      ...invalid(
        '"yes"',
        '"on"',
        '"Y"',
        '"t"',
        '" true"',
        '2',
        '-1',
        '0.5',
        '"01"',
        '[]',
        '[true]',
        '[1]',
        '{}',
      ),
    ]);
  });

  it('that is a date is a day, or a day with a time, which does not move it', async () => {
    const days = [
      '"2026-01-31"',
      '"2026-01-31T00:00:00Z"',
      '"2026-01-31T23:00:00.000Z"',
      '"2026-01-31T00:00:00+02:00"',
      '"2026-01-31 00:00:00"',
      '"2026-01-31T00:00"',
      '"2026-01-31T00:00:00-0300"',
      '"2026-01-31T00:00:00+01:00[Europe/Berlin]"',
    ];
    await expectRead({ field: { type: 'date' } }, [
      ...days.map((day) => [day, '2026-01-31'] as const),
      ['"0001-01-01T00:00:00"', '0001-01-01'],
      ...EMPTY,
      ...invalid(
        '"2026-01-31xyz"',
        '"2026-01-31 "',
        '"2026-01-31T"',
        '"2026-01-31T25:00:00Z"',
        '"2026-01-31Z"',
      ),
      ...invalid(
        '"2026-01-31T00:00:00Zulu"',
        '"2026-02-30"',
        '"2026-02-30T00:00:00Z"',
        '"20260131"',
        '"2026-1-31"',
      ),
      ...invalid(
        '"01/31/2026"',
        '"31.01.2026"',
        '"0000-00-00"',
        '1769817600000',
        '20260131',
        'false',
        '[]',
        '{}',
      ),
      ...invalid('{"year":"2026","month":"01","day":"31"}', '{"$date":"2026-01-31T00:00:00Z"}'),
    ]);
  });

  it('that is a date and time may have any offset of ISO 8601, and a zone after it', async () => {
    const atNoon = '2026-01-31T12:00:00.000Z';
    await expectRead({ field: { type: 'datetime' } }, [
      ['"2026-01-31T12:00:00Z"', atNoon],
      ['"2026-01-31T12:00:00z"', atNoon],
      ['"2026-01-31t12:00:00Z"', atNoon],
      ['"2026-01-31T12:00:00.000+0000"', atNoon],
      ['"2026-01-31 12:00:00"', atNoon],
      ['"2026-01-31T12:00"', atNoon],
      ['"2026-01-31 12:00:00+00"', atNoon],
      ['"2026-01-31T12:00:00+02"', '2026-01-31T10:00:00.000Z'],
      ['"2026-01-31T12:00:00-0530"', '2026-01-31T17:30:00.000Z'],
      ['"2026-01-31T12:00:00+05:45"', '2026-01-31T06:15:00.000Z'],
      ['"2026-01-31T12:00:00+01:00[Europe/Berlin]"', '2026-01-31T11:00:00.000Z'],
      ['"2026-01-31T12:00:00Z[UTC]"', atNoon],
      ['"2026-01-31T12:00:00+01[Europe/Berlin][u-ca=iso8601]"', '2026-01-31T11:00:00.000Z'],
      ['"2026-01-31 12:00:00.123456"', '2026-01-31T12:00:00.123Z'],
      ['"2026-01-31T12:00:00.1234567Z"', '2026-01-31T12:00:00.123Z'],
      ['"2026-01-31T24:00:00Z"', '2026-02-01T00:00:00.000Z'],
      ...EMPTY,
      ...invalid(
        '"2026-01-31T12:00:00[Europe/Berlin]"',
        '"2026-01-31T12:00:00+01:00[]"',
        '"2026-01-31T12:00:00+1"',
      ),
      ...invalid(
        '"2026-01-31T12:00:00+02:"',
        '"2026-01-31T12:00:00+99:99"',
        '"2026-01-31T12:00:00 +0100"',
      ),
      ...invalid(
        '"2026-01-31T12:00:00.Z"',
        '"2026-01-31T12:00:00,123Z"',
        '"2026-06-30T23:59:60Z"',
        '"2026-01-31"',
      ),
      ...invalid(
        '"Sat, 31 Jan 2026 12:00:00 GMT"',
        '"/Date(1769860800000)/"',
        '1769860800000',
        '"1769860800000"',
      ),
      ...invalid('1769860800', 'true', '[]', '{}'),
    ]);
  });

  it.each([
    ['epoch-ms', '1769860800123', '1769860800123.99', '"1769860800123"'],
    ['epoch-s', '1769860800.123', '1769860800.12399', '"1769860800.123"'],
  ] as const)(
    'that is a date and time is read as %s if the dialect has this form',
    async (datetime, ...times) => {
      await expectRead({ field: { type: 'datetime' }, form: { datetime } }, [
        ...times.map((time) => [time, '2026-01-31T12:00:00.123Z'] as const),
        ['"2026-01-31T12:00:00Z"', '2026-01-31T12:00:00.000Z'],
        ['0', '1970-01-01T00:00:00.000Z'],
        ['-1000', datetime === 'epoch-s' ? '1969-12-31T23:43:20.000Z' : '1969-12-31T23:59:59.000Z'],
        ...EMPTY,
        ...invalid(
          '"later"',
          '1e300',
          '253402300800000',
          '"1769860800000x"',
          'true',
          '[1769860800]',
        ),
      ]);
    },
  );

  it('that is a decimal may lack a digit before or after the point, and may have a sign', async () => {
    await expectRead({ field: { type: 'decimal' } }, [
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
      ['"1e3"', '1000'],
      ['"007.10"', '007.10'],
      ['"-0"', '-0'],
      ...EMPTY,
      ...invalid(
        '"."',
        '"+"',
        '"-"',
        '"e5"',
        '".e5"',
        '"+-5"',
        '"5.5."',
        '"1_000"',
        '" 12.50 "',
        '"1,234.50"',
      ),
      ...invalid(
        '"1.234,50"',
        '"12.50 EUR"',
        '"12.50%"',
        '"NaN"',
        'true',
        '[]',
        '{"amount":"12.50"}',
      ),
    ]);
  });

  it('that is a double may be written in these ways too', async () => {
    await expectRead({ field: { type: 'number' } }, [
      ['7', 7],
      ['"7"', 7],
      ['".5"', 0.5],
      ['"+5."', 5],
      ...invalid('"."', '"Infinity"', '"0x10"', 'true'),
    ]);
  });

  it('that is a whole number has nothing but digits', async () => {
    await expectRead({ field: { type: 'integer' } }, [
      ['5', '5'],
      ['"5"', '5'],
      ['5.0', '5'],
      ['9223372036854775807', '9223372036854775807'],
      ...EMPTY,
      ...invalid(
        '"5.0"',
        '5.5',
        '"007"',
        '"+5"',
        '" 5"',
        '"1e3"',
        '9223372036854775808',
        'false',
        '[5]',
      ),
    ]);
  });

  it('that is a text may be a number or a boolean, with all digits', async () => {
    await expectRead({ field: { type: 'text' } }, [
      ['"a"', 'a'],
      ['1', '1'],
      ['true', 'true'],
      ['12345678901234567890', '12345678901234567890'],
      ['""', ''],
      ['null', null],
      ...invalid('[]', '["a"]', '{}', '{"value":"a","display_value":"A"}'),
    ]);
  });

  it('that is a reference is an id, a pair of id and name, or an object with the id, also under data', async () => {
    const field = { type: 'reference', reference: 'thing' };
    const table: readonly (readonly [string, unknown])[] = [
      ...['2', '"2"', '2.0', '[2,"Name"]', '["2","Name"]', '[2,"8"]', '[2]', '["2"]'].map(
        (v) => [v, '2'] as const,
      ),
      ...['{"idInstance":2}', '{"id":"2","name":"x"}', '{"link":"/x/2","value":"2"}'].map(
        (v) => [v, '2'] as const,
      ),
      ...['{"data":{"id":2,"attributes":{}}}', '{"data":2}', '{"data":[2]}'].map(
        (v) => [v, '2'] as const,
      ),
      ...['{"d":2}', '{"id":2,"data":{"id":8}}'].map((v) => [v, '2'] as const),
      ...['null', '""', '[]', '{}', '{"data":null}', '{"data":[]}', '[null]', '[""]'].map(
        (v) => [v, null] as const,
      ),
      // Instances that are not there.
      ['0', null],
      ['-1', null],
      ...invalid(
        '"https://x/v1.0/forms/thing/instances/2"',
        'false',
        'true',
        '"abc"',
        '2.5',
        '"2.0"',
        '" 2"',
      ),
      ...invalid(
        '[2,3]',
        '["2","3"]',
        '[2,"3","4"]',
        '[[2,3]]',
        '{"name":"x"}',
        '{"data":{"name":"x"}}',
      ),
      ...invalid('{"data":[1,2]}', '{"id":{"id":2}}', '9223372036854775808', '["Name",2]'),
    ];
    const values = table.map(([value]) => value);

    const read = await readAll({ field, values }, '{ instanceId }');

    const ids = read.map((v) => (v as { readonly instanceId?: string } | null)?.instanceId ?? v);
    expect(values.map((value, index) => [value, ids[index]])).toEqual(table);
  });

  it('that is unreadable is named by its field and by what describes it, and never quoted', async () => {
    const values = ['"a value of theirs"'];
    const messageOf = async (field: object) => {
      const { execute } = await startWith({ field, values });
      const { errors } = await execute('{ things { nodes { v } } }');
      return errors?.map(({ message }) => message).join() ?? '';
    };

    const messages = await Promise.all(
      ['boolean', 'datetime', 'decimal'].map((type) => messageOf({ type })),
    );

    expect(messages).toEqual([
      'The platform’s response is unreadable. The field "v" has a value that is no boolean: see form.types of the dialect.',
      'The platform’s response is unreadable. The field "v" has a value that is no datetime: see form.types and form.datetime of the dialect.',
      'The platform’s response is unreadable. The field "v" has a value that is no decimal: see form.types of the dialect.',
    ]);
  });
});

describe('a value that is not among the options any more', () => {
  const field = { type: 'select', options: ['OPEN', 'CLOSED'] };
  const values = Array.from({ length: 60 }, (_, row) => (row % 2 === 0 ? '"LEGACY"' : '"OPEN"'));

  it('gives one error for each field and list, however many rows have one', async () => {
    const { execute } = await startWith({ field, values });

    const { data, errors } = await execute(`{
      a: things(first: 60) { nodes { v again: v } }
      b: things(first: 50) { edges { node { v } } }
      one: things(first: 1) { nodes { ... on Instance { ... on Thing { v } } } }
    }`);

    const { nodes } = data.a;
    expect(nodes).toEqual(
      values.map((_, row) =>
        row % 2 === 0 ? { v: null, again: null } : { v: 'OPEN', again: 'OPEN' },
      ),
    );
    expect(errors?.map(({ path }) => path)).toEqual([
      ['a', 'nodes', 0, 'v'],
      ['a', 'nodes', 0, 'again'],
      ['b', 'edges', 0, 'node', 'v'],
      ['one', 'nodes', 0, 'v'],
    ]);
    expect(errors?.[0]).toMatchObject({ extensions: { code: INVALID } });
    expect(errors?.[0]?.message).toContain('no longer, among its options');
    expect(errors?.[0]?.message).not.toContain('LEGACY');
  });

  it('gives an error for each instance that is read alone', async () => {
    const { execute } = await startWith({ field, values });

    const { errors } = await execute(
      '{ a: thing(instanceId: 1) { v } b: thing(instanceId: 3) { v } }',
    );

    expect(errors?.map(({ path }) => path)).toEqual([
      ['a', 'v'],
      ['b', 'v'],
    ]);
  });

  it('is read and found by the generic graph', async () => {
    const { dataOf, seen } = await startWith({ field, values });

    const data = await dataOf(`{
      instances(formId: "thing", first: 1, where: [{ field: "v", operator: EQ, value: "LEGACY" }]) {
        nodes { value(field: "v") }
      }
    }`);

    expect(data.instances.nodes).toEqual([{ value: 'LEGACY' }]);
    expect(seen.map(({ url }) => decodeURIComponent(url)).join()).toContain('search=v=eq:LEGACY');
  });
});

const WRITTEN: readonly (readonly [type: string, form: object, given: string, body: string])[] = [
  ['boolean', {}, 'true', 'true'],
  ['boolean', { writtenBoolean: 'number' }, 'true', '1'],
  ['boolean', { writtenBoolean: 'number' }, 'false', '0'],
  ['boolean', { writtenBoolean: 'text' }, 'false', '"false"'],
  ['boolean', { writtenBoolean: 'text' }, 'null', 'null'],
  ['datetime', {}, '"2026-01-31T12:00:00.5+02:00"', '"2026-01-31T10:00:00.500Z"'],
  ['datetime', { writtenDatetime: 'epoch-ms' }, '"2026-01-31T12:00:00.123Z"', '1769860800123'],
  ['datetime', { writtenDatetime: 'epoch-s' }, '"2026-01-31T12:00:00Z"', '1769860800'],
  ['datetime', { writtenDatetime: 'epoch-s' }, '"2026-01-31T12:00:00.123Z"', '1769860800.123'],
  ['datetime', { writtenDatetime: 'epoch-s' }, 'null', 'null'],
];

const SEARCHED: readonly (readonly [type: string, form: object, where: string, search: string])[] =
  [
    ['boolean', {}, 'eq: true', 'v=eq:true'],
    ['boolean', { writtenBoolean: 'number' }, 'eq: true', 'v=eq:1'],
    ['boolean', { writtenBoolean: 'number' }, 'ne: false', 'v=ne:0'],
    ['boolean', { writtenBoolean: 'text' }, 'ne: false', 'v=ne:false'],
    ['datetime', {}, 'gte: "2026-01-31"', 'v=ge:2026-01-31'],
    ['datetime', { writtenDatetime: 'epoch-ms' }, 'gte: "2026-01-31"', 'v=ge:1769817600000'],
    ['datetime', { writtenDatetime: 'epoch-s' }, 'lt: "2026-01-31"', 'v=lt:1769817600'],
    [
      'datetime',
      { writtenDatetime: 'epoch-s', assumedOffset: '+02:00' },
      'lt: "2026-01-31"',
      'v=lt:1769810400',
    ],
    ['datetime', {}, 'eq: "2028-02-28"', 'v=ge:2028-02-28,v=lt:2028-02-29'],
    [
      'datetime',
      { writtenDatetime: 'epoch-s', assumedOffset: '+02:00' },
      'eq: "2026-01-31"',
      'v=ge:1769810400,v=lt:1769896800',
    ],
    ['datetime', {}, 'eq: "9999-12-31"', 'v=ge:9999-12-31'],
    [
      'date',
      { writtenDatetime: 'epoch-s' },
      'in: ["2026-01-31", "2026-02-01"]',
      'v=in:2026-01-31|2026-02-01',
    ],
    ['decimal', { writtenDecimal: 'text' }, 'gt: 12.50', 'v=gt:12.50'],
  ];

describe('the dialect’s members for written values', () => {
  it.each(WRITTEN)(
    'holds for a %s with %j: %s is written as %s',
    async (type, form, given, body) => {
      const { execute, seen } = await startWith({ field: { type }, form });

      const { errors } = await execute(`mutation {
      createThing(input: { values: { v: ${given} } }) { __typename }
      createThings(input: { items: [{ values: { v: ${given} } }] }) { done }
    }`);

      expect(errors).toBeUndefined();
      expect(seen.map((request) => request.body)).toEqual(
        Array(2).fill(`{"values":{"v":${body}}}`),
      );
    },
  );

  it.each(SEARCHED)(
    'holds for a search of a %s with %j: %s is %s',
    async (type, form, where, search) => {
      const { execute, seen } = await startWith({ field: { type }, form });

      const { errors } = await execute(`{ things(where: { v: { ${where} } }) { totalCount } }`);

      expect(errors).toBeUndefined();
      const found = seen.map(({ url }) =>
        new URL(url, 'http://platform').searchParams.get('search'),
      );
      expect(found).toEqual([search]);
    },
  );
});
