import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startCountedGateway, startGateway } from '../../support/gateway.ts';
import { planOf } from '../../support/plan.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { writeDialect } from '../../support/write-dialect.ts';
import { subscribe } from '../live/support.ts';
import { startWithRoles } from '../roles/support.ts';

const { url, dataOf, calls, close } = await startCountedGateway({ TYPED_FORMS: '*' });
afterAll(close);
beforeEach(() => {
  calls.length = 0;
});

const LIST = 'getFormIntances';
const BY_STATUS = '{ purchaseRequestCounts(by: STATUS) { value enumValue count } }';

describe('counts by the values of a field', () => {
  it('has every value of a choice with one call for each', async () => {
    const data = await dataOf(BY_STATUS);
    expect(calls).toEqual(Array(4).fill(LIST));

    const { purchaseRequests } = await dataOf(
      '{ purchaseRequests(first: 100) { nodes { status } } }',
    );
    const rows: string[] = purchaseRequests.nodes.map(({ status }: { status: string }) => status);
    expect(data.purchaseRequestCounts).toEqual(
      ['draft', 'submitted', 'approved', 'rejected'].map((value) => {
        const enumValue = value.toUpperCase();
        return { value, enumValue, count: rows.filter((status) => status === enumValue).length };
      }),
    );
  });

  it('has both values of a boolean, in the platform’s notation', async () => {
    const { counts, urgent } = await dataOf(`{
      counts: purchaseRequestCounts(by: URGENT) { value enumValue count }
      urgent: purchaseRequests(where: { urgent: { eq: true } }, first: 100) { nodes { id } }
    }`);

    expect(counts).toEqual([
      { value: 'true', enumValue: null, count: urgent.nodes.length },
      { value: 'false', enumValue: null, count: expect.any(Number) },
    ]);
  });

  it('counts under conditions, also on the target of a reference', async () => {
    const where = '{ amount: { gt: 1000 }, supplier: { where: { country: { eq: DE } } } }';
    const data = await dataOf(`{
      counts: purchaseRequestCounts(by: STATUS, where: ${where}) { count }
      purchaseRequests(where: ${where}, first: 100) { nodes { status } }
    }`);

    const counted: number[] = data.counts.map(({ count }: { count: number }) => count);
    const all = data.purchaseRequests.nodes.length;
    expect(all).toBeGreaterThan(0);
    expect(counted.reduce((sum, count) => sum + count)).toBe(all);
    // The suppliers once, four counts, and the list.
    expect(calls).toEqual(Array(6).fill(LIST));
  });

  it('reads equal counts of an operation once', async () => {
    await dataOf(`{
      a: purchaseRequestCounts(by: STATUS) { count }
      b: purchaseRequestCounts(by: STATUS) { value }
      purchaseRequests(where: { status: { eq: DRAFT } }, first: 0) { totalCount }
    }`);

    expect(calls).toEqual(Array(4).fill(LIST));
  });

  it('is in the cost before it runs', async () => {
    const literal = await planOf(url, BY_STATUS);
    const variable = await planOf(
      url,
      'query ($by: SupplierCountField!) { supplierCounts(by: $by) { count } }',
      { by: 'COUNTRY' },
    );

    expect([literal.calls.most, variable.calls.most]).toEqual([5, 13]);
    expect(calls).toEqual([]);
  });

  it('is offered for choices and booleans alone', async () => {
    const { __type } = await dataOf(
      '{ __type(name: "PurchaseRequestCountField") { enumValues { name } } }',
    );

    expect(__type.enumValues).toEqual([{ name: 'STATUS' }, { name: 'URGENT' }]);
  });

  it('follows the platform in a subscription', async () => {
    const stream = await subscribe(url, `subscription ${BY_STATUS}`);

    expect((await stream.next()).data.purchaseRequestCounts).toHaveLength(4);
  });

  it('needs a role that may read the form', async () => {
    const { ask } = await startWithRoles();

    expect(await ask('web', '{ employeeCounts(by: DEPARTMENT) { count } }')).toMatchObject({
      status: 403,
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
    expect((await ask('web', BY_STATUS)).errors).toBeUndefined();
  });
});

const optionsOf = (count: number) => Array.from({ length: count }, (_, at) => `o${at}`);
const choice = (name: string, options: readonly string[]) => ({ name, type: 'choice', options });
const KIND = choice('kind', optionsOf(5));

/** Starts a gateway before a platform with one form, that searches by `kind`. */
async function startThings(
  fields: readonly object[],
  kinds: readonly string[],
  { dialect = {}, hasTotals = true } = {},
) {
  const platform = await scriptPlatform(({ url: at }) => {
    if (!at.includes('/instances')) return { body: [{ idForm: 'thing', fields }] };
    const query = new URL(at, 'http://platform').searchParams;
    const [, wanted] = /kind=eq:(\w+)/.exec(query.get('search') ?? '') ?? [];
    const found = kinds
      .map((kind, index) => ({ idInstance: index + 1, values: { kind } }))
      .filter(({ values }) => wanted === undefined || values.kind === wanted);
    const items = found.slice(0, Number(query.get('per-page')));
    return { body: hasTotals ? { items, total: found.length } : items };
  });
  const UPSTREAM_DIALECT = writeDialect(dialect);
  return startGateway({ ...platform.env, TYPED_FORMS: '*', UPSTREAM_DIALECT });
}

describe('counts at a platform', () => {
  it.each([1, 2, 3])(
    'are right for one instance of %i, although its total may count a page',
    async (all) => {
      const { dataOf } = await startThings(
        [choice('kind', optionsOf(2))],
        ['o0', ...Array(all - 1).fill('o1')],
      );

      const { thingCounts } = await dataOf('{ thingCounts(by: KIND) { count } }');

      expect(thingCounts).toEqual([{ count: 1 }, { count: all - 1 }]);
    },
  );

  it('that states no totals have one error, which names the member of the dialect', async () => {
    const { execute } = await startThings([KIND], ['o0', 'o0'], { hasTotals: false });

    expect(await execute('{ thingCounts(by: KIND) { count } }')).toMatchObject({
      data: { thingCounts: null },
      errors: [
        {
          message: expect.stringContaining('list.total'),
          extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
        },
      ],
    });
  });

  it('are left out for more than 50 values, and for values that no search contains', async () => {
    const fields = [
      choice('most', optionsOf(50)),
      choice('many', optionsOf(51)),
      choice('odd', ['a', 'b,c']),
    ];
    const { dataOf } = await startThings(fields, []);

    const { __type } = await dataOf('{ __type(name: "ThingCountField") { enumValues { name } } }');

    expect(__type.enumValues).toEqual([{ name: 'MOST' }]);
  });

  it('are left out if the platform has no search for equal values', async () => {
    const dialect = { search: { operators: { EQ: null } } };
    const { dataOf } = await startThings([KIND], [], { dialect });

    const { __schema } = await dataOf('{ __schema { queryType { fields { name } } } }');

    expect(__schema.queryType.fields).toContainEqual({ name: 'things' });
    expect(__schema.queryType.fields).not.toContainEqual({ name: 'thingCounts' });
  });
});
