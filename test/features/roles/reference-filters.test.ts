import { describe, expect, it } from 'vitest';
import { purchaseRequests } from '../bulk/support.ts';
import { subscribe } from '../live/support.ts';
import { connect, writeDocuments } from '../mcp/support.ts';
import { codesOf, startWithRoles } from './support.ts';

/** The buyer may read purchase requests and suppliers, and no employees. */
const AS_BUYER = { 'x-api-key': 'web' };
const SECRET = '(where: { requester: { where: { name: { contains: "a" } } } }, first: 1)';
const VISIBLE = '(where: { supplier: { where: { country: { eq: DE } } } }, first: 1)';
const listOf = (args: string) => `purchaseRequests${args} { totalCount }`;

describe('conditions on the target of a reference need a role that may read the target', () => {
  it('over HTTP, where nothing is sent without it', async () => {
    const { ask, calls } = await startWithRoles();

    const refused = await ask('web', `{ ${listOf(SECRET)} }`);
    expect(codesOf(refused)).toEqual([['FORBIDDEN', expect.any(String)]]);
    expect(refused.data).toEqual({ purchaseRequests: null });
    expect(calls).toEqual([]);

    const { errors, data } = await ask('web', `{ ${listOf(VISIBLE)} }`);
    expect(errors).toBeUndefined();
    expect(data.purchaseRequests.totalCount).toBeGreaterThan(0);
  });

  it('in nested lists', async () => {
    const { ask } = await startWithRoles();

    const refused = await ask('web', `{ supplier(instanceId: "1") { name ${listOf(SECRET)} } }`);

    expect(refused.data.supplier).toEqual({ name: expect.any(String), purchaseRequests: null });
    expect(codesOf(refused)).toEqual([['FORBIDDEN', expect.any(String)]]);
  });

  it('in subscriptions', async () => {
    const { url } = await startWithRoles();
    const open = (args: string) =>
      subscribe(url, `subscription { ${listOf(args)} }`, { headers: AS_BUYER });

    const refused = await (await open(SECRET)).next();
    const allowed = await (await open(VISIBLE)).next();

    expect(refused).toMatchObject({
      data: { purchaseRequests: null },
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
    expect(allowed.data.purchaseRequests.totalCount).toBeGreaterThan(0);
  });

  it('in tools of MCP', async () => {
    const DOCUMENTS = writeDocuments(
      `"Counts in secret." query Secret { ${listOf(SECRET)} }`,
      `"Counts openly." query Visible { ${listOf(VISIBLE)} }`,
    );
    const { url } = await startWithRoles({ MCP: 'all', DOCUMENTS });
    const client = await connect(url, { headers: AS_BUYER });

    const refused = await client.callTool({ name: 'Secret', arguments: {} });
    const allowed = await client.callTool({ name: 'Visible', arguments: {} });

    expect(JSON.stringify(refused.content)).toContain('FORBIDDEN');
    expect(allowed.isError).toBeUndefined();
  });

  it('in payloads of bulk writes', async () => {
    const { ask } = await startWithRoles();
    const create = (args: string) =>
      ask(
        'web',
        `mutation ($input: CreatePurchaseRequestsInput!) {
          createPurchaseRequests(input: $input) {
            done results { instance { supplier { ${listOf(args)} } } }
          }
        }`,
        { input: { items: purchaseRequests(1, { supplier: '1' }) } },
      );

    const refused = await create(SECRET);
    const allowed = await create(VISIBLE);

    expect(refused.data.createPurchaseRequests).toEqual({
      done: 1,
      results: [{ instance: { supplier: { purchaseRequests: null } } }],
    });
    expect(codesOf(refused)).toEqual([['FORBIDDEN', expect.any(String)]]);
    expect(allowed.errors).toBeUndefined();
  });
});
