import { GraphQLError, GraphQLString, getVariableValues, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/core/log.ts';
import { compileCost } from '../../src/graphql/admission/cost.ts';
import { selectOperation } from '../../src/graphql/admission/selections.ts';
import { createSchemaManager } from '../../src/graphql/apollo-server.ts';
import { createSchema, withRootFields } from '../../src/graphql/schema.ts';
import { readDialect } from '../../src/upstream/dialect.ts';
import { startCountedGateway, startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';
import { dialectOf } from '../upstream/support/open.ts';

const schema = createSchema();
const WITHOUT_IN = { search: { operators: { IN: null } } };

function costOf(text: string, variables = {}, dialect = dialectOf()) {
  const selected = selectOperation(schema, parse(text), undefined);
  if (selected instanceof GraphQLError) throw selected;
  const { coerced = {} } = getVariableValues(
    schema,
    selected.definition.variableDefinitions ?? [],
    variables,
  );
  return compileCost(selected)(coerced, dialect);
}

const COSTS: readonly [query: string, calls: number, variables?: object][] = [
  [
    '{ a: form(formId: "a") { name } b: form(formId: "b") { name } again: form(formId: "a") { name } }',
    1,
  ],
  ['{ a: form(formId: "a:1") { name } b: form(formId: "b:1") { name } }', 2],
  ['{ forms(first: 30) { nodes { instances(first: 5) { nodes { values } } } } }', 31],
  ['query ($n: Int = 30) { forms(first: $n) { nodes { instances { totalCount } } } }', 31],
  ['query ($n: Int = 30) { forms(first: $n) { nodes { instances { totalCount } } } }', 4, { n: 3 }],
  [
    '{ instances(formId: "a", first: 100) { nodes { form { name } reference(field: "b") { values } } } }',
    4,
  ],
  [
    '{ instances(formId: "a", first: 60) { nodes { form { name } reference(field: "b") { values } } } }',
    3,
  ],
  [
    '{ forms(first: 30) { nodes { instances(first: 5) { nodes { reference(field: "b") { id } } } } } }',
    92,
  ],
  ['{ instances(formId: "a", first: 100, after: "YXQ6NDk") { nodes { values } } }', 2],
  ['{ forms(first: -1) { nodes { name } } }', 0],
  // One call more, once, if it is not known whether the list states totals.
  ['{ forms(first: 0) { totalCount nodes { instances { totalCount } } } }', 2],
  [
    'query ($no: Boolean = false) { form(formId: "a") @include(if: $no) { name } rule(component: "a", version: "1") { name } }',
    1,
  ],
  [
    'mutation { updateInstance(input: { formId: "a", instanceId: 1, values: {} }) { instance { id } } }',
    1,
  ],
  [
    'mutation { updateInstance(input: { formId: "a", instanceId: 1, values: {} }) { instance { form { name } } } }',
    2,
  ],
  [
    'mutation { replaceInstance(input: { formId: "a", instanceId: 1, values: {} }) { instance { values can { delete } } } }',
    2,
  ],
  ['mutation { createInstance(input: { formId: "a", values: {} }) { instance { id } } }', 1],
  [
    'mutation { createInstance(input: { formId: "a", values: {} }) { instance { values can { update } } } }',
    2,
  ],
  ['{ instance(formId: "a", instanceId: 1) { form { name } reference(field: "b") { id } } }', 3],
  [
    'mutation { a: deleteInstance(input: { formId: "a", instanceId: 1 }) { deletedId } b: deleteInstance(input: { formId: "a", instanceId: 1 }) { deletedId } }',
    2,
  ],
  ['{ __schema { types { fields { name } } } }', 0],
  // Several fragments on one object cause one call.
  [
    '{ ...A ...B } fragment A on Query { instances(formId: "a") { ...R } } fragment B on Query { instances(formId: "a") { ...R ...R } } fragment R on InstanceConnection { nodes { reference(field: "b") { id } } }',
    3,
  ],
  [
    'query ($yes: Boolean = true) { rule(component: "a", version: "1") { name } ... @include(if: $yes) { rule(component: "a", version: "1") { version } } }',
    2,
  ],
];

describe('the cost of an operation', () => {
  it.each(COSTS)('%s is %i calls', (query, calls, variables) => {
    expect(costOf(query, variables).calls).toBe(calls);
  });

  it('is one call per record where the platform cannot search by a list of ids', () => {
    const reading = readDialect(WITHOUT_IN);
    const query =
      '{ instances(formId: "a", first: 100) { nodes { reference(field: "b") { values } } } }';

    expect('value' in reading && costOf(query, {}, reading.value).calls).toBe(102);
  });

  it('counts response fields by page size', () => {
    // The connection, its nodes, and two fields and a link of each of them.
    const [links, twice] = [
      costOf('{ forms(first: 10) { nodes { name links { rel } } } }'),
      costOf('{ forms(first: 10) { nodes { name } nodes { name id } } }'),
    ];

    expect([links.fields, twice.fields]).toEqual([1 + 1 + 20 + 100, 1 + 1 + 20]);
  });
});

it('the steps of an operation list its calls by field, outer fields first', () => {
  expect(
    costOf(
      '{ all: forms(first: 30) { nodes { rows: instances(first: 5) { nodes { form { name } } } } } }',
    ).steps,
  ).toEqual([
    { field: 'all', operation: 'getForms', calls: 1, objects: 1 },
    { field: 'all.nodes.rows', operation: 'getFormIntances', calls: 30, objects: 30 },
    { field: 'all.nodes.rows.nodes.form', operation: 'getForm', calls: 30, objects: 150 },
  ]);
});

describe('an operation over the cost limit', () => {
  const times = (count: number, write: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => write(n)).join(' ');
  const VALUES = times(30, (n) => `a${n}: value(field: "b")`);
  const LISTS = times(8, (n) => `l${n}: instances(first: 100) { nodes { ...V } }`);

  it.each([
    [
      'calls',
      '{ forms(first: 10) { nodes { instances { totalCount } } } }',
      / 11 calls .* 10 /,
      'forms.nodes.instances',
    ],
    [
      'fields',
      `{ form(formId: "supplier") { ${LISTS} } } fragment V on Instance { ${VALUES} }`,
      /\d+ fields.* 20000 /,
      'form.l0.nodes',
    ],
  ])(
    'is rejected before the first call, with cost and limit of its %s',
    async (_what, query, words, field) => {
      const { execute, calls } = await startCountedGateway({ COST_MAX_CALLS: '10' });

      expect(await execute(query)).toMatchObject({
        status: 400,
        errors: [
          {
            message: expect.stringMatching(words),
            extensions: { code: 'COST_EXCEEDED', retryable: false, field },
          },
        ],
      });
      expect(calls).toEqual([]);
    },
  );

  it('is stopped during execution when the platform makes it more expensive than computed', async () => {
    // Its list leaves the fields out, so that each form has to be read again on its own.
    const platform = await scriptPlatform(({ url }) => ({
      body: url.startsWith('/v1.0/forms?') ? [{ idForm: 'a' }, { idForm: 'b' }] : { fields: [] },
    }));
    const gateway = await startGateway({ ...platform.env, COST_MAX_CALLS: '2' });

    const { errors } = await gateway.execute(
      '{ a: form(formId: "a") { fields { name } } b: form(formId: "b") { fields { name } } }',
    );

    expect(errors?.map(({ extensions }) => extensions['code'])).toContain('COST_EXCEEDED');
    expect(platform.seen).toHaveLength(2);
  });
});

it.each(['query', 'mutation'] as const)(
  'a field at a root of the graph of a %s without a rule of cost ends the start',
  async (root) => {
    const log = createLog('silent', { write: () => true });
    const { list } = dialectOf();
    const graph = createSchemaManager({ log, list, isIntrospectable: true, ids: () => undefined });
    graph.addStep('platform', (before) =>
      withRootFields(before, root, { another: { type: GraphQLString } }),
    );

    await expect(graph.refresh()).rejects.toThrow(
      /^(Query|Mutation)\.another has no rule of cost\.$/,
    );
  },
);
