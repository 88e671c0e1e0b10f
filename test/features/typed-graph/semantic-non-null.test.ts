import { array, assert, asyncProperty, constantFrom, integer, record } from 'fast-check';
import {
  buildSchema,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { expect, it } from 'vitest';
import { startFormPlatform } from '../../support/form-platform.ts';
import { type Env, startGateway } from '../../support/gateway.ts';
import { runCommand } from '../../support/run.ts';
import { writeDialect } from '../../support/write-dialect.ts';

/** Settings of a platform that keeps required values. */
const kept = () => ({ UPSTREAM_DIALECT: writeDialect({ form: { isRequiredKept: true } }) });
const TYPES = ['text', 'integer', 'decimal', 'float', 'boolean', 'date', 'datetime', 'odd'];
const REQUIRED = [...TYPES.map((type) => `${type}1`), 'kind'];
const choice = { type: 'choice', options: ['a', 'b'] };
const reference = { type: 'reference', reference: 'thing' };
const FIELDS = [
  ...TYPES.map((type) => ({ name: `${type}1`, type, required: true })),
  ...TYPES.map((type) => ({ name: `${type}2`, type })),
  { name: 'kind', ...choice, required: true },
  { name: 'kinds', ...choice, multiple: true },
  { name: 'target', ...reference, required: true },
  { name: 'targets', ...reference, multiple: true },
];
const FORMS = [{ idForm: 'thing', fields: FIELDS }];
const NAMES = FIELDS.map(({ name }) => name);

const readSchema = async (env: Env = {}) => buildSchema((await runCommand(['schema'], env)).stdout);

/** The fields of a type that have the directive. */
function marksOf(schema: GraphQLSchema, name: string): readonly string[] {
  const type = schema.getType(name);
  if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`There is no type ${name}.`);
  const fields = Object.values(type.getFields()).filter(({ astNode }) =>
    astNode?.directives?.some((directive) => directive.name.value === 'semanticNonNull'),
  );
  return fields.map((field) => field.name);
}

it('stands at fields that are null only with an error, and at required ones of a platform that keeps them', async () => {
  const platform = await startFormPlatform(FORMS);

  const plain = marksOf(await readSchema(platform.env), 'Thing');
  const withRequired = marksOf(await readSchema({ ...platform.env, ...kept() }), 'Thing');

  const always = ['kinds', 'links', 'targets', 'things', 'values'];
  expect(plain).toEqual(always);
  expect(withRequired.toSorted()).toEqual([...always, ...REQUIRED].toSorted());
});

it('is at root lists and mutations, and at no record that may be absent', async () => {
  const schema = await readSchema();

  const queries = marksOf(schema, 'Query');
  expect(queries).toEqual(
    expect.arrayContaining(['forms', 'instances', 'suppliers', 'supplierCounts']),
  );
  for (const absent of ['node', 'form', 'instance', 'supplier', 'rule', 'viewer'])
    expect(queries).not.toContain(absent);
  expect(marksOf(schema, 'Mutation')).toEqual(
    Object.keys(schema.getMutationType()?.getFields() ?? {}),
  );
  expect(marksOf(schema, 'UpdateSupplierPayload')).toEqual(['instance']);
  expect(marksOf(schema, 'UpdateSuppliersResult')).toEqual([]);
  expect(marksOf(schema, 'Instance')).toEqual(['links', 'values']);
});

it('is not in the gateway’s own schema', async () => {
  const { url, dataOf } = await startGateway({ TYPED_FORMS: '*' });
  const sdl = await (await fetch(`${url}/schema.graphql`)).text();

  const { __schema } = await dataOf('{ __schema { directives { name } } }');

  expect(sdl).not.toContain('semanticNonNull');
  expect(__schema.directives).not.toContainEqual({ name: 'semanticNonNull' });
});

it('refuses an empty required value where the platform keeps them, and shows null elsewhere', async () => {
  const platform = await startFormPlatform(FORMS, { valuesOf: () => ({ date1: '' }) });
  const ask = async (env: Env) => {
    const gateway = await startGateway({ ...platform.env, ...env });
    return gateway.execute('{ thing(instanceId: "1") { date1 date2 } }');
  };

  const data = { thing: { date1: null, date2: null } };
  expect(await ask({})).toEqual({ status: 200, data });
  expect(await ask(kept())).toMatchObject({
    data,
    errors: [
      {
        message: expect.stringContaining('form.isRequiredKept'),
        path: ['thing', 'date1'],
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
      },
    ],
  });
});

it('stands at no null of a response without errors, whatever the platform has', async () => {
  const anyValue = constantFrom<unknown>(
    ...[null, undefined, '', 0, 1, '7', 1.5, '1.50', true, 'true', 'a', 'b', 'c', [], ['a']],
    ...['2026-01-31', '2026-01-31T09:30:00Z', {}, { id: 3 }, [1, 2]],
  );
  const anyRow = record(Object.fromEntries(NAMES.map((name) => [name, anyValue])));
  const fields = [
    ...NAMES.map((name) => (name.startsWith('target') ? `${name} { id }` : name)),
    'values',
    'links { rel }',
    'things(first: 0) { totalCount }',
  ];
  let rows: readonly object[] = [];
  const platform = await startFormPlatform(FORMS, { valuesOf: (_form, at) => rows[at - 1] });
  const env = { ...platform.env, ...kept() };
  const schema = await readSchema(env);
  const gateway = await startGateway(env);

  let clean = 0;
  await assert(
    asyncProperty(
      array(anyRow, { minLength: 5, maxLength: 5 }),
      array(constantFrom(...fields), { minLength: 1, maxLength: 6 }),
      integer({ min: 0, max: 5 }),
      async (next, selected, first) => {
        rows = next;
        const { data, errors } = await gateway.execute(
          `{ things(first: ${first}) { totalCount nodes { ${selected.join(' ')} } } }`,
        );
        if (errors !== undefined) return;
        clean += 1;
        expect(nullsIn(data, schema, 'Query')).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
  expect(clean).toBeGreaterThan(20);
});

/** Lists the marked places of an answer that are null. */
function nullsIn(data: unknown, schema: GraphQLSchema, name: string): readonly string[] {
  if (Array.isArray(data)) return data.flatMap((item) => nullsIn(item, schema, name));
  const type = schema.getType(name);
  if (typeof data !== 'object' || data === null || !isObjectType(type)) return [];
  const marks = marksOf(schema, name);
  return Object.entries(data).flatMap(([field, value]) => {
    if (value === null) return marks.includes(field) ? [`${name}.${field}`] : [];
    return nullsIn(value, schema, String(getNamedType(type.getFields()[field]?.type)));
  });
}
