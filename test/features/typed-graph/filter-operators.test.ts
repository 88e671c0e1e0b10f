import { buildSchema, getNamedType, isEnumType, isInputObjectType } from 'graphql';
import { afterAll, describe, expect, it } from 'vitest';
import { startCountedGateway } from '../../support/gateway.ts';

/** The forms of the sandbox, by their fields in `Query`. */
const LISTS = ['purchaseRequests', 'expenses', 'employees', 'suppliers'];

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

const { url, dataOf, close } = await startCountedGateway({ TYPED_FORMS: '*' });
afterAll(close);
const schema = buildSchema(await (await fetch(`${url}/schema.graphql`)).text());

/** The filters of a list: the field, the type of its operands, and the operators. */
function filtersOf(list: string) {
  const where = schema
    .getQueryType()
    ?.getFields()
    [list]?.args.find(({ name }) => name === 'where');
  const filter = getNamedType(where?.type);
  const fields = isInputObjectType(filter) ? Object.values(filter.getFields()) : [];
  return fields.map(({ name: field, type }) => {
    const operators = getNamedType(type);
    const inputs = isInputObjectType(operators) ? operators.getFields() : {};
    const operand = getNamedType(inputs['eq']?.type);
    return {
      list,
      field,
      filter: String(operators),
      operand: isEnumType(operand) ? 'enum' : String(operand),
      // A condition on the target of a reference is a filter of another form.
      operators: Object.keys(inputs).filter((name) => name !== 'where'),
    };
  });
}

const FILTERS = LISTS.flatMap(filtersOf);

/**
 * Reads all rows of a list with their values as texts, `undefined` where they are empty. A date-time
 * is its day in UTC, and a reference the target's id.
 */
async function readRows(list: string): Promise<readonly Row[]> {
  const selected = FILTERS.filter((filter) => filter.list === list).map(({ field, operand }) =>
    operand === 'ID' && field !== 'instanceId' ? `${field} { instanceId }` : field,
  );
  const { [list]: connection } = await dataOf(
    `{ ${list}(first: 100) { totalCount nodes { ${selected.join(' ')} } } }`,
  );
  expect(connection.nodes, `${list} fits one page`).toHaveLength(connection.totalCount);
  return connection.nodes.map((node: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(node).map(([name, value]) => [name, textOf(value)])),
  );
}

type Row = Readonly<Record<string, string | undefined>>;

function textOf(value: unknown): string | undefined {
  if (value === null) return undefined;
  const text = String(typeof value === 'object' ? Object.values(value)[0] : value);
  return /^\d{4}-\d{2}-\d{2}T/.test(text) ? text.slice(0, 10) : text;
}

const rows = new Map<string, readonly Row[]>();
for (const list of LISTS) rows.set(list, await readRows(list));

describe('every operator of every field type', () => {
  it('is a case, of every form', () => {
    expect(new Set(FILTERS.map(({ filter }) => filter)).size).toBeGreaterThan(10);
    expect(new Set(FILTERS.flatMap(({ operators }) => operators))).toEqual(
      new Set(Object.keys(MEANINGS)),
    );
  });

  it.each(
    FILTERS.flatMap((filter) => filter.operators.map((operator) => ({ ...filter, operator }))),
  )(
    'finds the matching instances against the sandbox: $list by $field $operator',
    async ({ list, field, operand, operator }) => {
      const all = rows.get(list) ?? [];
      const isText = !['Int', 'Long', 'Decimal', 'ID'].includes(operand);
      const sorted = [...new Set(all.flatMap((row) => row[field] ?? []))]
        .filter((value) => !/[,:=%|_]/.test(value))
        .sort((one, other) => order(one, other, isText));
      const operands = [1 / 3, 2 / 3].map((part) => sorted[Math.floor(sorted.length * part)] ?? '');
      const used = OF_LISTS.includes(operator) ? operands : operands.slice(0, 1);
      const isBare = ['enum', 'Boolean', 'Int'].includes(operand);
      const texts = used.map((value) => (isBare ? value : JSON.stringify(value))).join();
      const written = OF_LISTS.includes(operator) ? `[${texts}]` : texts;

      const { [list]: found } = await dataOf(
        `{ ${list}(first: 100, where: { ${field}: { ${operator}: ${written} } }) { nodes { instanceId } } }`,
      );

      const expected = all.filter((row) => {
        const value = row[field];
        if (value === undefined) return OF_EMPTY.includes(operator);
        return MEANINGS[operator]?.(value, used, isText);
      });
      expect(expected.length).toBeGreaterThan(0);
      expect(found.nodes).toEqual(expected.map(({ instanceId }) => ({ instanceId })));
    },
  );
});

describe('a day', () => {
  it.each([
    ['GE', 'gte', '2026-03-01'],
    ['LT', 'lt', '2026-03-01'],
    ['EQ', 'eq', '2026-01-12'],
  ])(
    'finds the same date-times in the generic graph by %s as in the typed one by %s',
    async (operator, filter, day) => {
      const data = await dataOf(`{
        generic: instances(
          formId: "purchase-request", first: 100, where: { field: "createdAt", operator: ${operator}, value: "${day}" }
        ) { nodes { instanceId } }
        typed: purchaseRequests(first: 100, where: { createdAt: { ${filter}: "${day}" } }) { nodes { instanceId } }
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
