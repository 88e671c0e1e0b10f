import { afterAll, beforeEach, expect, it } from 'vitest';

import { startCountedGateway } from '../../support/gateway.ts';
import { planOf } from '../../support/plan.ts';
import { purchaseRequests } from './support.ts';

const { url, execute, dataOf, calls, close } = await startCountedGateway(
  { TYPED_FORMS: '*' },
  { requestLimit: 0 },
);
afterAll(close);

let ids: readonly string[] = [];
beforeEach(async () => {
  const { createPurchaseRequests } = await dataOf(
    `mutation ($items: [CreatePurchaseRequestsItem!]!) {
      createPurchaseRequests(input: { items: $items }) { results { instance { instanceId } } }
    }`,
    { items: purchaseRequests(20) },
  );
  ids = createPurchaseRequests.results.map(
    ({ instance }: { instance: { instanceId: string } }) => instance.instanceId,
  );
  calls.length = 0;
});

const UPDATE = `mutation ($items: [UpdatePurchaseRequestsItem!]!, $onError: BulkOnError! = CONTINUE) {
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
const itemsWithConflictAt = (position: number) =>
  ids.map((instanceId, index) => ({
    instanceId,
    values: { status: 'SUBMITTED' },
    expected: { status: index === position ? 'APPROVED' : 'DRAFT' },
  }));

const tally = () =>
  Object.fromEntries(
    [...Map.groupBy(calls, (call) => call)].map(([name, all]) => [name, all.length]),
  );

it('reads all instances of which values are expected with one list call', async () => {
  const { updatePurchaseRequests } = await dataOf(UPDATE, { items: itemsWithConflictAt(-1) });

  expect(updatePurchaseRequests).toMatchObject({ done: 20, failed: 0 });
  expect(tally()).toEqual({ updateValuesOfFormIntance: 20, getFormIntances: 2 });
});

it('refuses the item that differs, with the current instance, and sends the others', async () => {
  const { updatePurchaseRequests } = await dataOf(UPDATE, { items: itemsWithConflictAt(5) });

  expect(updatePurchaseRequests).toMatchObject({ done: 19, failed: 1 });
  expect(updatePurchaseRequests.results[5]).toEqual({
    status: 'FAILED',
    instance: null,
    error: {
      code: 'CONFLICT',
      retryable: false,
      violations: [
        {
          path: ['expected', 'status'],
          constraint: 'expected',
          message: 'has another value now',
        },
      ],
      current: { instanceId: ids[5], title: 'Row 5' },
    },
  });
  expect(updatePurchaseRequests.results[6]).toMatchObject({ status: 'DONE', error: null });
});

it('sends nothing after a conflict if `onError` is STOP', async () => {
  const { updatePurchaseRequests } = await dataOf(UPDATE, {
    items: itemsWithConflictAt(0),
    onError: 'STOP',
  });

  expect(updatePurchaseRequests.failed).toBe(1);
  expect(updatePurchaseRequests.notSent).toBeGreaterThan(10);
});

it('compares items of the generic graph, with a key too', async () => {
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
  const plan = await planOf(
    url,
    'mutation ($items: [DeletePurchaseRequestsItem!]!) { deletePurchaseRequests(input: { items: $items }) { done } }',
    { items: ids.map((instanceId) => ({ instanceId, expected: { quantity: 1 } })) },
  );

  expect(plan.calls.most).toBe(21);
});
