import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startCountedGateway, startGateway } from '../../support/gateway.ts';
import { planOf } from '../../support/plan.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { writeDialect } from '../../support/write-dialect.ts';
import { subscribe } from '../live/support.ts';
import { codesOf, startWithRoles } from '../roles/support.ts';

const { url, execute, dataOf, calls, close } = await startCountedGateway({ TYPED_FORMS: '*' });
afterAll(close);

beforeEach(() => {
  calls.length = 0;
});

const LIST = 'getFormIntances';
const STATUSES = ['draft', 'submitted', 'approved', 'rejected'];
const BY_STATUS = '{ purchaseRequestCounts(by: STATUS) { value enumValue count } }';

describe('counts by the values of a field', () => {
  it('has every value of a choice with one call for each', async () => {
    const data = await dataOf(BY_STATUS);
    expect(calls).toEqual(Array(4).fill(LIST));

    const { purchaseRequests } = await dataOf(
      '{ purchaseRequests(first: 100) { nodes { status } } }',
    );
    const rows = purchaseRequests.nodes.map(({ status }: { status: string }) => status);
    expect(data.purchaseRequestCounts).toEqual(
      STATUSES.map((value) => ({
        value,
        enumValue: value.toUpperCase(),
        count: rows.filter((status: string) => status === value.toUpperCase()).length,
      })),
    );
  });

  it('has both values of a boolean, in the platform’s notation', async () => {
    const { purchaseRequestCounts: counts } = await dataOf(
      '{ purchaseRequestCounts(by: URGENT) { value enumValue count } }',
    );

    expect(counts).toMatchObject([
      { value: 'true', enumValue: null },
      { value: 'false', enumValue: null },
    ]);
    const { yes } = await dataOf(
      '{ yes: purchaseRequests(where: { urgent: { eq: true } }, first: 100) { nodes { id } } }',
    );
    expect(counts[0].count).toBe(yes.nodes.length);
  });

  it('counts under conditions, also on the target of a reference', async () => {
    const where = '{ amount: { gt: 1000 }, supplier: { where: { country: { eq: DE } } } }';
    const data = await dataOf(`{
      counts: purchaseRequestCounts(by: STATUS, where: ${where}) { enumValue count }
      purchaseRequests(where: ${where}, first: 100) { nodes { status } }
    }`);

    const all = data.purchaseRequests.nodes.length;
    const counted = data.counts.map(({ count }: { count: number }) => count);
    expect(all).toBeGreaterThan(0);
    expect(counted.reduce((sum: number, count: number) => sum + count)).toBe(all);
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
    const { data } = await execute(
      '{ __type(name: "PurchaseRequestCountField") { enumValues { name } } }',
    );

    expect(data.__type.enumValues).toEqual([{ name: 'STATUS' }, { name: 'URGENT' }]);
  });

  it('follows the platform in a subscription', async () => {
    const stream = await subscribe(url, BY_STATUS.replace('{', 'subscription {'));

    const { data } = await stream.next();

    expect(data.purchaseRequestCounts).toHaveLength(4);
  });

  it('needs a role that may read the form', async () => {
    const { ask } = await startWithRoles();

    const refused = await ask('web', '{ employeeCounts(by: DEPARTMENT) { count } }');
    const allowed = await ask('web', BY_STATUS);

    expect(refused.status).toBe(403);
    expect(codesOf(refused)).toEqual([['FORBIDDEN', expect.any(String)]]);
    expect(allowed.errors).toBeUndefined();
  });
});

const options = (count: number) => Array.from({ length: count }, (_, at) => `o${at}`);
const form = (fields: readonly object[]) => ({ idForm: 'thing', name: 'Thing', fields });

type Row = { readonly values: { readonly kind: string } };

/** Starts a gateway before a platform with one form, that searches by `kind` and states totals unless it must not. */
async function startWith(
  fields: readonly object[],
  rows: readonly Row[],
  { dialect = {}, hasTotals = true } = {},
) {
  const platform = await scriptPlatform(({ url: at }) => {
    if (!at.includes('/instances')) return { body: [form(fields)] };
    const query = new URL(at, 'http://platform').searchParams;
    const [, kind] = /kind=eq:(\w+)/.exec(query.get('search') ?? '') ?? [];
    const found = rows.filter(({ values }) => kind === undefined || values.kind === kind);
    const items = found.slice(0, Number(query.get('per-page')));
    return { body: hasTotals ? { items, total: found.length } : items };
  });
  return startGateway({
    ...platform.env,
    TYPED_FORMS: '*',
    UPSTREAM_DIALECT: writeDialect(dialect),
  });
}

describe('counts at a platform', () => {
  it.each([1, 2, 3])(
    'are right for one instance of %i, although its total may count a page',
    async (all) => {
      const rows = Array.from({ length: all }, (_, at) => ({
        idInstance: at + 1,
        values: { kind: at === 0 ? 'o0' : 'o1' },
      }));
      const gateway = await startWith(
        [{ name: 'kind', type: 'choice', options: options(2) }],
        rows,
      );

      const { data } = await gateway.execute('{ thingCounts(by: KIND) { count } }');

      expect(data).toEqual({ thingCounts: [{ count: 1 }, { count: all - 1 }] });
    },
  );

  it('that states no totals have one error, which names the member of the dialect', async () => {
    const rows = [
      { idInstance: 1, values: { kind: 'o0' } },
      { idInstance: 2, values: { kind: 'o0' } },
    ];
    const gateway = await startWith([{ name: 'kind', type: 'choice', options: options(5) }], rows, {
      hasTotals: false,
    });

    const { data, errors } = await gateway.execute('{ thingCounts(by: KIND) { count } }');

    expect(data).toEqual({ thingCounts: null });
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('list.total'),
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
      },
    ]);
  });

  it('are left out for more than 50 values, and for values that no search contains', async () => {
    const gateway = await startWith(
      [
        { name: 'most', type: 'choice', options: options(50) },
        { name: 'many', type: 'choice', options: options(51) },
        { name: 'odd', type: 'choice', options: ['a', 'b,c'] },
      ],
      [],
    );

    const { data } = await gateway.execute(
      '{ __type(name: "ThingCountField") { enumValues { name } } }',
    );

    expect(data.__type.enumValues).toEqual([{ name: 'MOST' }]);
  });

  it('are left out if the platform has no search for equal values', async () => {
    const gateway = await startWith([{ name: 'kind', type: 'choice', options: options(2) }], [], {
      dialect: { search: { operators: { EQ: null } } },
    });

    const { data } = await gateway.execute('{ __schema { queryType { fields { name } } } }');

    const names = data.__schema.queryType.fields.map(({ name }: { name: string }) => name);
    expect(names).toContain('things');
    expect(names).not.toContain('thingCounts');
  });
});
