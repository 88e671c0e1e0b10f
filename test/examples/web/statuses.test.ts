import { join } from 'node:path';
import { expect, it } from 'vitest';

// Not by a static import: the example has packages and a compiler configuration of its own.
const { prepareCall } = await import(
  join(import.meta.dirname, '../../../examples/web/src/requests/bulk-calls.ts')
);

it('the web client reads the statuses of a call of any size before it sends it again', async () => {
  const rows = Array.from({ length: 230 }, (_, index) => ({
    instanceId: String(index),
    status: 'DRAFT',
  }));
  const sizes: number[] = [];
  // As the gateway: a page has 20 rows where `first` is not given, and at most 100.
  const query = async ({
    variables,
  }: {
    variables: { instanceIds: readonly string[]; first?: number };
  }) => {
    const { instanceIds, first = 20 } = variables;
    sizes.push(first);
    const edges = instanceIds.slice(0, Math.min(first, 100)).map((instanceId) => ({
      node: { instanceId, status: Number(instanceId) < 5 ? 'APPROVED' : 'DRAFT' },
    }));
    return { data: { purchaseRequests: { edges } } };
  };
  const call = { rows, to: 'APPROVED', idempotencyKey: 'key', sentAtMs: 0 };

  const [prepared, outcomes] = await prepareCall({ query }, call, new Map());

  expect(sizes).toEqual([100, 100, 30]);
  expect([...outcomes.values()].map(({ status }) => status)).toEqual(Array(5).fill('DONE'));
  expect(prepared.rows).toHaveLength(225);
});
