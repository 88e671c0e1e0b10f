import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { writeFolder } from '../../support/folder.ts';
import { startCountedGateway } from '../../support/gateway.ts';
import { planOf } from '../../support/plan.ts';
import { runCommand } from '../../support/run.ts';
import { ERROR, type Item, purchaseRequests, startLedger } from './support.ts';

const { url, execute, dataOf, calls, close } = await startCountedGateway(
  { TYPED_FORMS: '*' },
  { requestLimit: 0 },
);
afterAll(close);

beforeEach(() => {
  calls.length = 0;
});

const CREATE = `mutation ($input: CreatePurchaseRequestsInput!) {
  createPurchaseRequests(input: $input) {
    done failed unknown notSent
    results { status instance { instanceId title amount } ${ERROR} }
  }
}`;

/** Creates this number of instances, empties the list of calls, and returns the ids. */
async function create(count: number): Promise<readonly string[]> {
  const { createPurchaseRequests } = await dataOf(CREATE, {
    input: { items: purchaseRequests(count) },
  });
  calls.length = 0;
  return createPurchaseRequests.results.map(({ instance }: Item) => instance?.instanceId);
}

/** Returns how often each operation was called. */
const tally = () =>
  Object.fromEntries(
    [...Map.groupBy(calls, (call) => call)].map(([name, all]) => [name, all.length]),
  );

describe('a bulk write of a form', () => {
  it('creates a hundred instances with a hundred calls, and reads them with one at most', async () => {
    const items = purchaseRequests(100);

    const { createPurchaseRequests } = await dataOf(CREATE, { input: { items } });

    expect(createPurchaseRequests).toMatchObject({
      ...{ done: 100, failed: 0, unknown: 0, notSent: 0 },
      results: items.map(({ values: { title } }) => ({ instance: { title } })),
    });
    const { createFormIntance, ...reads } = tally();
    expect(createFormIntance).toBe(100);
    expect([{}, { getFormIntances: 1 }]).toContainEqual(reads);
  });

  it('reads the updated instances with one list call if they are selected, and else makes no read', async () => {
    const ids = await create(100);
    const items = ids.map((instanceId) => ({ instanceId, values: { amount: '12.5' } }));
    const update = (selection: string) =>
      dataOf(
        `mutation ($items: [UpdatePurchaseRequestsItem!]!) {
          updatePurchaseRequests(input: { items: $items }) { done results { ${selection} } }
        }`,
        { items },
      );

    const plain = await update('status');
    expect(plain.updatePurchaseRequests.done).toBe(100);
    expect(tally()).toEqual({ updateValuesOfFormIntance: 100 });

    calls.length = 0;
    const read = await update('instance { instanceId amount }');
    expect(read.updatePurchaseRequests.results).toEqual(
      ids.map((instanceId) => ({ instance: { instanceId, amount: '12.5' } })),
    );
    expect(tally()).toEqual({ updateValuesOfFormIntance: 100, getFormIntances: 1 });
  });

  it('replaces and deletes by either id, and returns the global ids of deleted instances', async () => {
    const [first, second] = await create(2);
    const { purchaseRequest } = await dataOf(`{ purchaseRequest(instanceId: "${first}") { id } }`);
    const { id } = purchaseRequest;
    const [item] = purchaseRequests(1, { title: 'New' });

    const { replacePurchaseRequests } = await dataOf(
      `mutation ($items: [ReplacePurchaseRequestsItem!]!) {
        replacePurchaseRequests(input: { items: $items }) { results { status instance { title } } }
      }`,
      { items: [{ instanceId: id, ...item }] },
    );
    const { deletePurchaseRequests } = await dataOf(
      `mutation { deletePurchaseRequests(input: { items: [{ instanceId: "${id}" }, { instanceId: "${second}" }] }) {
        done results { status deletedId }
      } }`,
    );

    expect(replacePurchaseRequests.results).toEqual([
      { status: 'DONE', instance: { title: 'New' } },
    ]);
    expect(deletePurchaseRequests.done).toBe(2);
    expect(deletePurchaseRequests.results[0]).toEqual({ status: 'DONE', deletedId: id });
  });

  it('reports invalid values by their path in the item, and sends the other items', async () => {
    const items = purchaseRequests(3);
    Object.assign(items[1]?.values ?? {}, { amount: '-1', title: 'x'.repeat(121) });

    const { createPurchaseRequests } = await dataOf(CREATE, { input: { items } });

    expect(createPurchaseRequests).toMatchObject({ done: 2, failed: 1, unknown: 0, notSent: 0 });
    expect(createPurchaseRequests.results[1]).toMatchObject({
      status: 'FAILED',
      instance: null,
      error: {
        code: 'BAD_USER_INPUT',
        message: 'values.title must have at most 120 characters; values.amount must be at least 0.',
        violations: [
          { path: ['values', 'title'], constraint: 'maxLength', limit: 120 },
          { path: ['values', 'amount'], constraint: 'min', limit: 0 },
        ],
        retryable: false,
        retryAfterMs: null,
      },
    });
    expect(tally()).toEqual({ createFormIntance: 2 });
  });

  it('leaves values to the platform in the generic graph, as a mutation of one instance does', async () => {
    const [id] = await create(1);
    const item = `instanceId: "${id}", values: { amount: "ten" }`;

    const one = await execute(`mutation {
      updateInstance(input: { formId: "purchase-request", ${item} }) { instance { id } }
    }`);
    const many = await execute(`mutation {
      updateInstances(input: { formId: "purchase-request", items: [{ ${item} }] }) {
        results { status error { code message violations } }
      }
    }`);
    const mixed =
      await execute(`mutation { createInstances(input: { formId: "purchase-request", items: [
      { values: { title: "a" } }, { values: { title: "a", amount: 10, quantity: 1, status: "draft", requester: 1 } }
    ] }) { results { status instance { formId ... on PurchaseRequest { title } } error { code } } } }`);

    const { message, extensions: { code, violations = [] } = {} } = one.errors?.[0] ?? {};
    // Its paths begin at the item.
    const ofItem = violations.map((violation: { path: string[] }) => ({
      ...violation,
      path: violation.path.slice(1),
    }));
    expect(message).toContain('"amount" must be a number');
    expect(many.data.updateInstances.results).toEqual([
      { status: 'FAILED', error: { code, message, violations: ofItem } },
    ]);
    expect(mixed.data.createInstances.results).toEqual([
      { status: 'FAILED', instance: null, error: { code: 'BAD_USER_INPUT' } },
      { status: 'DONE', instance: { formId: 'purchase-request', title: 'a' }, error: null },
    ]);
  });

  it('sends nothing for STOP where an item does not fit', async () => {
    const items = purchaseRequests(3);
    Object.assign(items[2]?.values ?? {}, { amount: '-1' });

    const { data } = await execute(CREATE, { input: { items, onError: 'STOP' } });

    const { results } = data.createPurchaseRequests;
    expect(results.map(({ status }: Item) => status)).toEqual(['NOT_SENT', 'NOT_SENT', 'FAILED']);
    expect(results[0].error).toEqual({
      code: 'BULK_STOPPED',
      message:
        'Not sent, since another item failed and onError is STOP: correct that one, then send the call again.',
      violations: [],
      retryable: true,
      retryAfterMs: null,
    });
    expect(calls).toEqual([]);
  });

  it('changes an instance once in a call', async () => {
    const [instanceId] = await create(1);
    const item = { instanceId, values: { amount: '1' } };

    const { updatePurchaseRequests } = await dataOf(
      `mutation ($items: [UpdatePurchaseRequestsItem!]!) {
        updatePurchaseRequests(input: { items: $items }) { results { status error { message } } }
      }`,
      { items: [item, item, { ...item, instanceId: 'x' }] },
    );

    expect(updatePurchaseRequests.results).toEqual([
      { status: 'DONE', error: null },
      {
        status: 'FAILED',
        error: { message: 'Item 0 is the same instance: change it once in a call.' },
      },
      {
        status: 'FAILED',
        error: {
          message: 'instanceId must be an id of the platform, an integer, or a global id.',
        },
      },
    ]);
    expect(calls).toEqual(['updateValuesOfFormIntance']);
  });

  it('counts an item that does not fit for its instance, so that it may be corrected under the same key', async () => {
    const [id = ''] = await create(1);
    const update = async (...amounts: readonly string[]) => {
      const items = amounts.map((amount) => ({ instanceId: id, values: { amount } }));
      const { data } = await execute(
        `mutation ($input: UpdatePurchaseRequestsInput!) {
          updatePurchaseRequests(input: $input) { results { status error { message } } }
        }`,
        { input: { items, idempotencyKey: 'k' } },
      );
      return data.updatePurchaseRequests.results;
    };

    const refused = await update('-1', '5');
    const corrected = await update('1', '5');

    const second = {
      status: 'FAILED',
      error: { message: expect.stringContaining('Item 0 is the same instance') },
    };
    expect(refused).toEqual([
      { status: 'FAILED', error: { message: 'values.amount must be at least 0.' } },
      second,
    ]);
    expect(corrected).toEqual([{ status: 'DONE', error: null }, second]);
    expect(calls).toEqual(['updateValuesOfFormIntance']);
  });
});

describe('the cost of a bulk write', () => {
  it('is a call for each item, counted before the first', async () => {
    const ledger = await startLedger({ COST_MAX_CALLS: '99' });
    const items = Array.from({ length: 20 }, (_, row) => `{ instanceId: "${row}", values: {} }`);
    const update = `mutation { updateInstances(input: { formId: "f", items: [${items}] }) { results { instance { values } } } }`;

    const { errors } = await ledger.create(100);
    const plan = await planOf(ledger.gateway.url, update);

    expect(errors).toMatchObject([{ extensions: { code: 'COST_EXCEEDED' } }]);
    expect(ledger.state.sent).toBe(0);
    expect(plan).toMatchObject({
      calls: { most: 21 },
      steps: [
        { field: 'updateInstances', operation: 'updateValuesOfFormIntance', calls: 20 },
        {
          field: 'updateInstances.results.instance.values',
          operation: 'getFormIntances',
          calls: 1,
        },
      ],
    });
  });

  it('is the cost of a hundred items that expect values if a document is planned without its variables', async () => {
    const folder = writeFolder({
      'change.graphql': `mutation Change($input: UpdateInstancesInput!) { updateInstances(input: $input) { done } }`,
      'items.graphql': `mutation Items($items: [DeleteInstancesItem!]!) {
        deleteInstances(input: { formId: "f", items: $items }) { done }
      }`,
    });

    const { stdout } = await runCommand(['explain', folder]);

    expect(stdout).toContain('mutation Change\n  at most 102 calls, 120 are allowed');
    expect(stdout).toContain('mutation Items\n  at most 102 calls, 120 are allowed');
  });

  it.each([0, 101])('is nothing for %i items, which are refused', async (count) => {
    const ledger = await startLedger();

    const { errors } = await ledger.create(count);

    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('1 to 100 items'),
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
    expect(ledger.state.sent).toBe(0);
  });
});

const UPDATE_EXPECTED = `mutation ($items: [UpdatePurchaseRequestsItem!]!, $onError: BulkOnError! = CONTINUE) {
  updatePurchaseRequests(input: { items: $items, onError: $onError }) {
    done failed notSent
    results {
      status
      instance { status }
      error {
        code violations retryable
        current { instanceId ... on PurchaseRequest { title } }
      }
    }
  }
}`;

/** Updates all instances. The item at `position` expects a status that the instance does not have. */
const itemsWithConflictAt = (ids: readonly string[], position: number) =>
  ids.map((instanceId, index) => ({
    instanceId,
    values: { status: 'SUBMITTED' },
    expected: { status: index === position ? 'APPROVED' : 'DRAFT' },
  }));

describe('a bulk write that expects values', () => {
  it('reads all instances of which values are expected with one list call', async () => {
    const ids = await create(20);
    const { updatePurchaseRequests } = await dataOf(UPDATE_EXPECTED, {
      items: itemsWithConflictAt(ids, -1),
    });

    expect(updatePurchaseRequests).toMatchObject({ done: 20, failed: 0 });
    expect(tally()).toEqual({ updateValuesOfFormIntance: 20, getFormIntances: 2 });
  });

  it('refuses the item that differs, with the current instance, and sends the others', async () => {
    const ids = await create(20);
    const { updatePurchaseRequests } = await dataOf(UPDATE_EXPECTED, {
      items: itemsWithConflictAt(ids, 5),
    });

    expect(updatePurchaseRequests).toMatchObject({ done: 19, failed: 1 });
    expect(updatePurchaseRequests.results[5]).toMatchObject({
      status: 'FAILED',
      instance: null,
      error: {
        code: 'CONFLICT',
        retryable: false,
        violations: [{ path: ['expected', 'status'], constraint: 'expected' }],
        current: { instanceId: ids[5], title: 'Row 5' },
      },
    });
    expect(updatePurchaseRequests.results[6]).toMatchObject({ status: 'DONE', error: null });
  });

  it('sends nothing after a conflict if `onError` is STOP', async () => {
    const ids = await create(20);
    const { updatePurchaseRequests } = await dataOf(UPDATE_EXPECTED, {
      items: itemsWithConflictAt(ids, 0),
      onError: 'STOP',
    });

    expect(updatePurchaseRequests.failed).toBe(1);
    expect(updatePurchaseRequests.notSent).toBeGreaterThan(10);
  });

  it('compares items of the generic graph, with a key too', async () => {
    const ids = await create(20);
    const items = ids.slice(0, 3).map((instanceId, index) => ({
      instanceId,
      values: { status: 'submitted' },
      expected: { status: index === 1 ? 'approved' : 'draft' },
    }));
    const send = () =>
      execute(
        `mutation ($items: [UpdateInstancesItem!]!) {
          updateInstances(input: {
            formId: "purchase-request", items: $items, idempotencyKey: "${ids[0]}"
          }) { results { status error { code } } }
        }`,
        { items },
      );

    const { data } = await send();

    expect(data.updateInstances.results).toEqual([
      { status: 'DONE', error: null },
      { status: 'FAILED', error: { code: 'CONFLICT' } },
      { status: 'DONE', error: null },
    ]);
    expect(tally()).toEqual({ updateValuesOfFormIntance: 2, getFormIntances: 1 });
    calls.length = 0;
    const again = await send();
    expect(again.data).toEqual(data);
    expect(tally()).not.toHaveProperty('updateValuesOfFormIntance');
  });

  it('has the reads in its plan', async () => {
    const ids = await create(20);
    const plan = await planOf(
      url,
      'mutation ($items: [DeletePurchaseRequestsItem!]!) { deletePurchaseRequests(input: { items: $items }) { done } }',
      { items: ids.map((instanceId) => ({ instanceId, expected: { quantity: 1 } })) },
    );

    expect(plan.calls.most).toBe(21);
  });
});
