import {
  buildSchema,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { startCountedGateway } from '../../support/gateway.ts';

/** The forms of the sandbox, by their fields in `Query`. */
const LISTS = ['purchaseRequests', 'expenses', 'employees', 'suppliers'];

type Row = Readonly<Record<string, string>>;
type Matches = (value: string, operands: readonly string[], isText: boolean) => boolean;

const order = (one: string, other: string, isText: boolean): number => {
  if (!isText) return Number(one) - Number(other);
  return one < other ? -1 : Number(one > other);
};

/** The meaning of each operator for a value that is not empty, written anew. */
const MEANINGS: Readonly<Record<string, Matches>> = {
  eq: (value, [operand]) => value === operand,
  ne: (value, [operand]) => value !== operand,
  gt: (value, [operand = ''], isText) => order(value, operand, isText) > 0,
  gte: (value, [operand = ''], isText) => order(value, operand, isText) >= 0,
  lt: (value, [operand = ''], isText) => order(value, operand, isText) < 0,
  lte: (value, [operand = ''], isText) => order(value, operand, isText) <= 0,
  in: (value, operands) => operands.includes(value),
  notIn: (value, operands) => !operands.includes(value),
  contains: (value, [operand = '']) => value.toLowerCase().includes(operand.toLowerCase()),
  startsWith: (value, [operand = '']) => value.toLowerCase().startsWith(operand.toLowerCase()),
  like: (value, [operand = '']) => value.toLowerCase().includes(operand.toLowerCase()),
};
/** The operators that match an empty field. */
const OF_EMPTY = ['ne', 'notIn'];
const OF_LISTS = ['in', 'notIn'];

const { url, dataOf } = await startCountedGateway({ TYPED_FORMS: '*' });
const schema = buildSchema(await (await fetch(`${url}/schema.graphql`)).text());

const cases = LISTS.flatMap((list) =>
  fieldsOfFilter(schema, list).flatMap((field) =>
    Object.values(filterOf(field).getFields())
      // A condition on the target of a reference is a filter of another form.
      .filter(({ name }) => name !== 'where')
      .map(({ name: operator }) => ({ list, field, operator })),
  ),
);

/** The rows of each list, by their ids, with the value of each field as a text; empty ones are absent. */
const rows = new Map<string, ReadonlyMap<string, Row>>();
for (const list of LISTS) rows.set(list, await readRows(list));

describe('every operator of every field type', () => {
  it('is a case, of every form', () => {
    expect(new Set(cases.map(({ field }) => getNamedType(field.type).name)).size).toBeGreaterThan(
      10,
    );
    expect(new Set(cases.map(({ operator }) => operator))).toEqual(new Set(Object.keys(MEANINGS)));
  });

  it.each(
    cases.map((one) => ({ ...one, title: `${one.list} by ${one.field.name} ${one.operator}` })),
  )(
    'finds the matching instances against the sandbox: $title',
    async ({ list, field, operator }) => {
      const all = rows.get(list) ?? new Map<string, Row>();
      const values = [...all.values()].flatMap((row) => row[field.name] ?? []);
      const isText = !['Int', 'Long', 'Decimal', 'ID'].includes(operandType(field));
      const sorted = [...new Set(values)]
        .filter((value) => !/[,:=%|_]/.test(value))
        .sort((one, other) => order(one, other, isText));
      const operands = [1 / 3, 2 / 3].map((part) =>
        String(sorted[Math.floor(sorted.length * part)]),
      );
      const used = OF_LISTS.includes(operator) ? operands : operands.slice(0, 1);
      const matches = MEANINGS[operator];

      const { [list]: found } = await dataOf(`{
      ${list}(first: 100, where: { ${field.name}: { ${operator}: ${write(field, operator, used)} } }) {
        nodes { instanceId }
      }
    }`);

      const expected = [...all].filter(([, row]) => {
        const value = row[field.name];
        if (value === undefined) return OF_EMPTY.includes(operator);
        return matches?.(value, used, isText);
      });
      expect(expected.length).toBeGreaterThan(0);
      expect(found.nodes.map(({ instanceId }: { instanceId: string }) => instanceId)).toEqual(
        expected.map(([id]) => id),
      );
    },
  );
});

describe('a day', () => {
  it.each([
    ['{ operator: GE, value: "2026-03-01" }', '{ gte: "2026-03-01" }'],
    ['{ operator: LT, value: "2026-03-01" }', '{ lt: "2026-03-01" }'],
    ['{ operator: EQ, value: "2026-01-12" }', '{ eq: "2026-01-12" }'],
  ])(
    'finds the same date-times in the generic graph by %s as in the typed one',
    async (criterion, filter) => {
      const data = await dataOf(`{
      generic: instances(
        formId: "purchase-request", first: 100, where: ${criterion.replace('{', '{ field: "createdAt",')}
      ) { nodes { instanceId } }
      typed: purchaseRequests(first: 100, where: { createdAt: ${filter} }) { nodes { instanceId } }
    }`);

      expect(data.typed.nodes.length).toBeGreaterThan(0);
      expect(data.generic).toEqual(data.typed);
    },
  );

  it('of the calendar’s end has no next one', async () => {
    const data = await dataOf(
      '{ purchaseRequests(where: { createdAt: { eq: "9999-12-31" } }) { totalCount } }',
    );

    expect(data.purchaseRequests.totalCount).toBe(0);
  });
});

function fieldsOfFilter(from: GraphQLSchema, list: string): readonly GraphQLInputField[] {
  const args = from.getQueryType()?.getFields()[list]?.args;
  const filter = getNamedType(args?.find(({ name }) => name === 'where')?.type);
  return isInputObjectType(filter) ? Object.values(filter.getFields()) : [];
}

function filterOf(field: GraphQLInputField): GraphQLInputObjectType {
  const type = getNamedType(field.type);
  if (!isInputObjectType(type)) throw new Error(`${field.name} has no filter.`);
  return type;
}

function operandType(field: GraphQLInputField): string {
  const type = getNamedType(filterOf(field).getFields()['eq']?.type);
  return isEnumType(type) ? 'enum' : String(type);
}

function write(field: GraphQLInputField, operator: string, operands: readonly string[]): string {
  const isBare = ['enum', 'Boolean', 'Int'].includes(operandType(field));
  const texts = operands.map((operand) => (isBare ? operand : JSON.stringify(operand)));
  return OF_LISTS.includes(operator) ? `[${texts}]` : String(texts[0]);
}

/** Reads all rows of a list. A date-time is its day in UTC, and a reference the target's id. */
async function readRows(list: string): Promise<ReadonlyMap<string, Row>> {
  const fields = fieldsOfFilter(schema, list);
  const type = getNamedType(schema.getQueryType()?.getFields()[list]?.type);
  const selected = fields.map(({ name }) => {
    const isReference = name !== 'instanceId' && operandType(named(fields, name)) === 'ID';
    return isReference ? `${name} { instanceId }` : name;
  });
  const { [list]: connection } = await dataOf(
    `{ ${list}(first: 100) { totalCount nodes { ${selected.join(' ')} } } }`,
  );
  expect(connection.nodes, `${type} fits one page`).toHaveLength(connection.totalCount);
  return new Map(
    connection.nodes.map((node: Readonly<Record<string, unknown>>) => [
      node['instanceId'],
      Object.fromEntries(
        Object.entries(node).flatMap(([name, value]) => {
          if (value === null) return [];
          const text = typeof value === 'object' ? Object.values(value)[0] : value;
          const isTime = /^\d{4}-\d{2}-\d{2}T/.test(String(text));
          return [[name, isTime ? String(text).slice(0, 10) : String(text)]];
        }),
      ),
    ]),
  );
}

function named(fields: readonly GraphQLInputField[], name: string): GraphQLInputField {
  const field = fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`There is no filter of ${name}.`);
  return field;
}
