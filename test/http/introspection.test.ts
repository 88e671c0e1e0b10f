import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';

import { shareGateway, startGateway } from '../support/gateway.ts';

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
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + countFields(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum, member) => sum + 1 + countFields(member), 0);
}

const repeat = (count: number, write: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => write(n)).join(' ');

/** All types, 180 times. */
const MANY_LISTS = `{ __schema { ${repeat(180, (n) => `t${n}: types { ...T }`)} } }
  fragment T on __Type { kind name description fields { name type { name kind } } }`;
/** One type, and 80 times the types of its fields. */
const MANY_TYPES = `{ ${repeat(10, (n) => `t${n}: __type(name: "Mutation") { ...T }`)} }
  fragment T on __Type { fields { ${repeat(80, (n) => `f${n}: type { name kind }`)} } }`;

const SETUPS = [
  { schema: 'a schema that is shown', env: { PLAYGROUND: 'on', TYPED_FORMS: '*' } },
  { schema: 'a hidden schema', env: { NODE_ENV: 'production', CALLER_AUTH: 'none' } },
];

describe.each(SETUPS)('introspection of $schema', ({ env }) => {
  const gateway = shareGateway(env);

  it.each([
    ['the standard query', STANDARD],
    ['the query with all options', WITH_ALL_OPTIONS],
  ])('answers %s, also when it is repeated', async (_name, query) => {
    const first = await gateway.execute(query);
    const second = await gateway.execute(query);

    expect(first.errors).toBeUndefined();
    expect(first.data.__schema.queryType.name).toBe('Query');
    expect(second.data).toEqual(first.data);
  });

  it('has at most twice the fields of the standard query', async () => {
    const { data } = await gateway.execute(STANDARD);
    const answer = await gateway.execute(MANY_LISTS);

    // `data` includes `__schema`, which is not below itself.
    const max = 2 * (countFields(data) - 1);
    expect(answer.data).toBeNull();
    expect(answer.errors).toMatchObject([{ extensions: { code: 'COST_EXCEEDED' } }]);
    expect(answer.errors?.[0]?.message).toContain(`at most ${max} fields below`);
  });

  it('refuses the same query each time, whatever stands beside it', async () => {
    const beside = MANY_LISTS.replace('{', '{ forms { totalCount }');

    for (const query of [MANY_LISTS, MANY_LISTS, beside]) {
      const { data, errors } = await gateway.execute(query);
      expect(data).toBeNull();
      expect(errors).toMatchObject([{ extensions: { code: 'COST_EXCEEDED' } }]);
    }
  });
});

describe('`__type`', () => {
  it('counts like `__schema`', async () => {
    const gateway = await startGateway({ PLAYGROUND: 'on' });

    const { errors } = await gateway.execute(MANY_TYPES);

    expect(errors).toMatchObject([{ extensions: { code: 'COST_EXCEEDED' } }]);
  });

  it('depends on its variables', async () => {
    const gateway = await startGateway({ PLAYGROUND: 'on' });
    const query = 'query ($name: String!) { __type(name: $name) { name } }';

    for (const name of ['Form', 'Link', 'Form']) {
      const { data } = await gateway.execute(query, { name });
      expect(data).toEqual({ __type: { name } });
    }
  });
});
