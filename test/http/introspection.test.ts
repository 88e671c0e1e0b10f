import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';

import { shareGateway } from '../support/gateway.ts';

const STANDARD = getIntrospectionQuery();
const WITH_ALL_OPTIONS = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  experimentalDirectiveDeprecation: true,
  oneOf: true,
});

/** Counts the members of all objects in an answer. */
function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value).map(countFields);
  const own = Array.isArray(value) ? 0 : members.length;
  return members.reduce((sum, count) => sum + count, own);
}

const repeat = (count: number, write: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => write(n)).join(' ');

/** All types, 180 times. */
const MANY_LISTS = `{ __schema { ${repeat(180, (n) => `t${n}: types { ...T }`)} } }
  fragment T on __Type { kind name description fields { name type { name kind } } }`;
/** One type, and 80 times the types of its fields. */
const MANY_TYPES = `{ ${repeat(10, (n) => `t${n}: __type(name: "Mutation") { ...T }`)} }
  fragment T on __Type { fields { ${repeat(80, (n) => `f${n}: type { name kind }`)} } }`;

const shown = shareGateway({ PLAYGROUND: 'on', TYPED_FORMS: '*' });
const hidden = shareGateway({ NODE_ENV: 'production', CALLER_AUTH: 'none' });

describe.each([
  ['a schema that is shown', shown],
  ['a hidden schema', hidden],
])('introspection of %s', (_schema, gateway) => {
  it.each([
    ['the standard query', STANDARD],
    ['the query with all options', WITH_ALL_OPTIONS],
  ])('answers %s, also when it is repeated', async (_name, query) => {
    const data = await gateway.dataOf(query);

    expect(data.__schema.queryType.name).toBe('Query');
    expect(await gateway.dataOf(query)).toEqual(data);
  });

  it('has at most twice the fields of the standard query, each time, whatever stands beside it', async () => {
    const { __schema } = await gateway.dataOf(STANDARD);
    const max = 2 * countFields(__schema);
    const beside = MANY_LISTS.replace('{', '{ forms { totalCount }');

    for (const query of [MANY_LISTS, MANY_LISTS, beside]) {
      const { data, errors } = await gateway.execute(query);
      expect(data).toBeNull();
      expect(errors).toMatchObject([
        {
          message: expect.stringContaining(`at most ${max} fields below`),
          extensions: { code: 'COST_EXCEEDED' },
        },
      ]);
    }
  });
});

describe('`__type`', () => {
  it('counts like `__schema`', async () => {
    const { errors } = await shown.execute(MANY_TYPES);

    expect(errors).toMatchObject([{ extensions: { code: 'COST_EXCEEDED' } }]);
  });

  it('depends on its variables', async () => {
    const query = 'query ($name: String!) { __type(name: $name) { name } }';

    for (const name of ['Form', 'Link', 'Form'])
      expect(await shown.dataOf(query, { name })).toEqual({ __type: { name } });
  });
});

describe('the schema in production', () => {
  it('is empty in introspection', async () => {
    const data = await hidden.dataOf(STANDARD);

    expect(Object.keys(buildClientSchema(data).getQueryType()?.getFields() ?? {})).toEqual(['_']);
    expect(JSON.stringify(data)).not.toContain('Instance');
  });

  it('has no type by any name', async () => {
    const data = await hidden.dataOf('{ __type(name: "Query") { name fields { name } } }');

    expect(data).toEqual({ __type: null });
  });

  it('is hidden beside other fields, whose order, fragments and aliases are kept', async () => {
    const data = await hidden.dataOf(`
      query ($yes: Boolean = true) {
        type: __type(name: "Form") { ...T }
        ...F
        skipped: __type(name: "Form") @skip(if: $yes) { name }
        form(formId: "supplier") { name }
      }
      fragment T on __Type { name }
      fragment F on Query { s: __schema { queryType { ...T } mutationType { name } } }
    `);

    expect(JSON.stringify(data)).toBe(
      '{"type":null,"s":{"queryType":{"name":"Query"},"mutationType":null},"form":{"name":"Supplier"}}',
    );
  });
});
