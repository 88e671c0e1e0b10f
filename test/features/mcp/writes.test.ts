import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { EXAMPLES, REQUEST, startConnected, type startMcp, writeDocuments } from './support.ts';

const create = { name: 'RequestPurchase', arguments: REQUEST };
const count = async ({ execute }: Awaited<ReturnType<typeof startMcp>>): Promise<number> =>
  (await execute('{ purchaseRequests { totalCount } }')).data.purchaseRequests.totalCount;

describe('a mutation of MCP', () => {
  it('is called destructive unless it only creates', async () => {
    const { client } = await startConnected();
    const { tools } = await client.listTools();

    const hints = tools.map(({ name, annotations }) => [name, annotations?.destructiveHint]);
    expect(Object.fromEntries(hints)).toMatchObject({
      RequestPurchase: false,
      UpdatePurchaseRequest: true,
    });
  });

  it('runs at once, in any client', async () => {
    const { client, ...gateway } = await startConnected({}, { protocol: 'legacy' });
    const before = await count(gateway);

    const { isError } = await client.callTool(create);

    expect(isError).toBeUndefined();
    expect(await count(gateway)).toBe(before + 1);
  });

  it('takes the key by which a client sends it again, where the document has one', async () => {
    const update = readFileSync(join(EXAMPLES, 'UpdatePurchaseRequest.graphql'), 'utf8');
    const text = `"Drafts." mutation Draft($key: ID, $title: String!) {
      createPurchaseRequest(
        input: { idempotencyKey: $key, values: { title: $title, amount: 1, quantity: 1, requester: 3, status: DRAFT } }
      ) { instance { instanceId } }
    }`;
    const { client, ...gateway } = await startConnected({
      DOCUMENTS: writeDocuments(text, update),
    });
    const before = await count(gateway);
    const { tools } = await client.listTools();
    const call = { name: 'Draft', arguments: { key: 'my-own', title: 'A lamp' } };

    const [first, again] = [await client.callTool(call), await client.callTool(call)];

    expect(tools.find(({ name }) => name === 'Draft')?.inputSchema.properties).toHaveProperty(
      'key',
    );
    expect(JSON.stringify(tools)).toContain('"idempotencyKey"');
    expect(again.structuredContent).toEqual(first.structuredContent);
    expect(await count(gateway)).toBe(before + 1);
  });
});
