import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { writeFolder } from '../../support/folder.ts';
import { CONFIRMED, connect, createRecorder, EXAMPLES, REQUEST, startMcp, writeDocuments } from './support.ts';

const create = { name: 'RequestPurchase', arguments: REQUEST };
const count = async ({ execute }: Awaited<ReturnType<typeof startMcp>>): Promise<number> =>
  (await execute('{ purchaseRequests { totalCount } }')).data.purchaseRequests.totalCount;
const textOf = ({ content }: Awaited<ReturnType<Client['callTool']>>): string =>
  (content as { text: string }[]).map(({ text }) => text).join('\n');

describe('a mutation of MCP', () => {
  it('shows a person what it would do, and runs once they confirm', async () => {
    const gateway = await startMcp();
    const before = await count(gateway);
    const asked: string[] = [];
    const client = await connect(gateway.url, {
      onAsked(message) {
        asked.push(message);
        return CONFIRMED();
      },
    });
    await client.listTools();

    const { structuredContent } = await client.callTool(create);

    expect(structuredContent).toMatchObject({
      createPurchaseRequest: { instance: { title: 'A lamp', status: 'DRAFT' } },
    });
    expect(asked).toEqual([expect.stringContaining('"title": "A lamp"')]);
    expect(asked[0]).toContain('createFormIntance: 1');
    expect(await count(gateway)).toBe(before + 1);
  });

  const UPDATE = {
    name: 'UpdatePurchaseRequest',
    arguments: { input: { instanceId: '41', values: { amount: '99.50', notes: 'Changed.' } } },
  };
  const readRequest = '{ purchaseRequest(instanceId: 41) { title amount notes } }';

  it('names the record, and shows present beside new values of the fields that its answer selects', async () => {
    const gateway = await startMcp();
    const { data } = await gateway.execute(readRequest);
    const { title, amount } = data.purchaseRequest;
    const asked: string[] = [];
    const onAsked = (message: string) => {
      asked.push(message);
      return CONFIRMED();
    };
    const client = await connect(gateway.url, { onAsked });

    const { isError } = await client.callTool(UPDATE);

    expect(isError).toBeUndefined();
    expect(asked).toEqual([expect.stringContaining(`The record is ${JSON.stringify(title)}.`)]);
    expect(asked[0]).toContain(`amount: ${amount} → 99.5`);
    expect(asked[0]).not.toContain('notes: ');
  });

  it('names the record that it deletes, and clears what a replacement does not name', async () => {
    const remove =
      '"Deletes." mutation Remove($id: ID!) { deletePurchaseRequest(input: { instanceId: $id }) { deletedId } }';
    const replace = `"Replaces." mutation Replace($input: ReplaceInstanceInput!) {
      replaceInstance(input: $input) { instance { values } }
    }`;
    const gateway = await startMcp({ DOCUMENTS: writeDocuments(remove, replace) });
    const { title } = (await gateway.execute(readRequest)).data.purchaseRequest;
    const asked: string[] = [];
    const onAsked = (message: string) => {
      asked.push(message);
      return { action: 'decline' as const };
    };
    const client = await connect(gateway.url, { onAsked });
    const input = { formId: 'purchase-request', instanceId: '41', values: { title: 'Other' } };

    await client.callTool({ name: 'Remove', arguments: { id: '41' } });
    await client.callTool({ name: 'Replace', arguments: { input } });

    expect(asked).toEqual([
      expect.stringMatching(new RegExp(`The record is "${title}"\\.$`)),
      expect.stringContaining(`title: "${title}" → "Other"`),
    ]);
    expect(asked[1]).toMatch(/status: "\w+" → null/);
  });

  it.each([
    ['is not there', { ...UPDATE, arguments: { input: { instanceId: '9999', values: { amount: 1 } } } }, []],
    ['belongs to a field that the graph hides', UPDATE, ['Query.instance']],
  ])('asks as for any other change where the record %s', async (_what, call, hide) => {
    const extension = writeFolder({ 'hide.js': `export default { hide: ${JSON.stringify(hide)} };` });
    const gateway = await startMcp({ EXTENSIONS: extension });
    const asked: string[] = [];
    const onAsked = (message: string) => {
      asked.push(message);
      return { action: 'decline' as const };
    };
    const client = await connect(gateway.url, { onAsked });

    await client.callTool(call);

    expect(asked).toHaveLength(1);
    expect(asked[0]).not.toContain('The record is');
  });

  it('is called destructive unless it only creates', async () => {
    const gateway = await startMcp();
    const { tools } = await (await connect(gateway.url)).listTools();

    const hints = tools.map(({ name, annotations }) => [name, annotations?.destructiveHint]);
    expect(Object.fromEntries(hints)).toMatchObject({ RequestPurchase: false, UpdatePurchaseRequest: true });
  });

  it.each([
    ['declines', { action: 'decline' as const }],
    ['does not tick the box', { action: 'accept' as const, content: { confirm: false } }],
  ])('changes nothing when the person %s', async (_what, answer) => {
    const gateway = await startMcp();
    const before = await count(gateway);
    const client = await connect(gateway.url, { onAsked: () => answer });

    const result = await client.callTool(create);

    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('Nothing was changed');
    expect(await count(gateway)).toBe(before);
  });

  it('asks nobody about what costs too much', async () => {
    const items = '[{ values: {} }, { values: {} }]';
    const text = `"Makes two." mutation Two { createInstances(input: { formId: "f", items: ${items} }) { done } }`;
    const { url } = await startMcp({ COST_MAX_CALLS: '1', DOCUMENTS: writeDocuments(text) });
    const asked: string[] = [];
    const client = await connect(url, {
      onAsked(message) {
        asked.push(message);
        return CONFIRMED();
      },
    });

    const result = await client.callTool({ name: 'Two', arguments: {} });

    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('COST_EXCEEDED');
    expect(asked).toEqual([]);
  });

  it('is refused with a sentence where the client cannot ask a person', async () => {
    const gateway = await startMcp();
    const before = await count(gateway);
    const withoutElicitation = await connect(gateway.url);
    const older = await connect(gateway.url, { protocol: 'legacy', onAsked: CONFIRMED });

    for (const client of [withoutElicitation, older]) {
      const result = await client.callTool(create);
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(/a person must confirm.*MCP_CONFIRM=off/);
    }
    expect(await count(gateway)).toBe(before);
  });

  it('runs at once with MCP_CONFIRM=off, in any client', async () => {
    const gateway = await startMcp({ MCP_CONFIRM: 'off' });
    const before = await count(gateway);
    const client = await connect(gateway.url, { protocol: 'legacy' });

    const { isError } = await client.callTool(create);

    expect(isError).toBeUndefined();
    expect(await count(gateway)).toBe(before + 1);
  });

  it('has no second effect when its confirmation is sent again', async () => {
    const gateway = await startMcp();
    const before = await count(gateway);
    const { fetch, send, confirmed } = createRecorder();
    const client = await connect(gateway.url, { onAsked: CONFIRMED, fetch });
    const { structuredContent } = await client.callTool(create);

    const again = await send(gateway.url);

    expect(confirmed).toHaveLength(1);
    expect(again.structuredContent).toEqual(structuredContent);
    expect(await count(gateway)).toBe(before + 1);
  });

  it('cannot be confirmed for other arguments or another tool, with a state that was changed, or too late', async () => {
    const draft = readFileSync(join(EXAMPLES, 'RequestPurchase.graphql'), 'utf8');
    const submit = draft.replace('RequestPurchase', 'SubmitPurchase').replace('DRAFT', 'SUBMITTED');
    const gateway = await startMcp({ DOCUMENTS: writeDocuments(draft, submit) });
    const before = await count(gateway);
    const { fetch, send } = createRecorder();
    const client = await connect(gateway.url, { onAsked: CONFIRMED, fetch });
    await client.callTool(create);

    const results = [
      await send(gateway.url, ({ params }) => {
        params.arguments['amount'] = '99999';
      }),
      await send(gateway.url, ({ params }) => Object.assign(params, { name: 'SubmitPurchase' }), {
        'mcp-name': 'SubmitPurchase',
      }),
      await send(gateway.url, ({ params }) => {
        params.requestState = `${params.requestState?.slice(0, -4)}AAAA`;
      }),
    ];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    results.push(await send(gateway.url));

    for (const { isError, content } of results) {
      expect([isError, content[0].text]).toEqual([true, expect.stringContaining('not for this call')]);
    }
    expect(await count(gateway)).toBe(before + 1);
  });

  it('is confirmed at any replica that has the same SESSION_KEYS, also while they are rotated', async () => {
    const [old, young] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    const first = await startMcp({ SESSION_KEYS: `${old}` });
    const second = await startMcp({ SESSION_KEYS: `${young},${old}` });
    const stranger = await startMcp({ SESSION_KEYS: `${young}` });
    const { fetch, send } = createRecorder();
    const client = await connect(first.url, { onAsked: CONFIRMED, fetch });
    await client.callTool(create);

    const confirmed = await send(second.url);
    const refused = await send(stranger.url);

    expect(confirmed.isError).toBeUndefined();
    expect(refused.isError).toBe(true);
  });

  it('makes each change of an operation once, those of fragments and of bulk writes as well', async () => {
    const values = 'amount: 1, quantity: 1, requester: 3, status: DRAFT';
    const text = `"Drafts four." mutation Four($input: CreatePurchaseRequestInput!, $title: String!) {
      createPurchaseRequest(input: $input) { instance { title } }
      ...Others
      bulk: createPurchaseRequests(input: { items: [{ values: { title: "c", ${values} } }, { values: { title: "d", ${values} } }] }) { done }
    }
    fragment Others on Mutation {
      b: createPurchaseRequest(input: { values: { title: $title, ${values} } }) { instance { title } }
    }`;
    const gateway = await startMcp({ DOCUMENTS: writeDocuments(text) });
    const before = await count(gateway);
    const { fetch, send } = createRecorder();
    const client = await connect(gateway.url, { onAsked: CONFIRMED, fetch });
    const input = { values: { title: 'a', amount: 1, quantity: 1, requester: '3', status: 'DRAFT' } };

    const { structuredContent } = await client.callTool({ name: 'Four', arguments: { input, title: 'b' } });
    const again = await send(gateway.url);

    expect(structuredContent).toEqual({
      createPurchaseRequest: { instance: { title: 'a' } },
      b: { instance: { title: 'b' } },
      bulk: { done: 2 },
    });
    expect(again.structuredContent).toEqual(structuredContent);
    expect(await count(gateway)).toBe(before + 4);
  });

  it('makes the changes of an extension’s mutation once', async () => {
    const text = `"Submits." mutation Submit($input: SubmitPurchaseRequestInput!) {
      submitPurchaseRequest(input: $input) { purchaseRequest { title } case { caseId } }
    }`;
    const gateway = await startMcp({ EXTENSIONS: 'examples/extension/purchasing.ts', DOCUMENTS: writeDocuments(text) });
    const before = await count(gateway);
    const { fetch, send } = createRecorder();
    const client = await connect(gateway.url, { onAsked: CONFIRMED, fetch });
    const input = { title: 'a', amount: '1', requester: '3' };

    const { structuredContent } = await client.callTool({ name: 'Submit', arguments: { input } });
    const again = await send(gateway.url);

    expect(structuredContent).toMatchObject({ submitPurchaseRequest: { purchaseRequest: { title: 'a' } } });
    expect(again.structuredContent).toEqual(structuredContent);
    expect(await count(gateway)).toBe(before + 1);
  });

  it.each([
    ['of a type that is not theirs', 'RequestPurchase', { title: 'A lamp' }, '$amount'],
    [
      'that a field does not take',
      'RequestPurchase',
      { ...REQUEST, title: 'x'.repeat(121), quantity: 0 },
      '- input.values.title must have at most 120 characters\n- input.values.quantity must be at least 1',
    ],
    [
      'that a field of a whole input does not take',
      'UpdatePurchaseRequest',
      { input: { instanceId: '41', values: { amount: -1 } } },
      '- input.values.amount must be at least 0',
    ],
    ['that the tool does not have', 'RequestPurchase', { ...REQUEST, approved: true }, 'approved'],
  ])('asks nobody about values %s', async (_what, name, given, problem) => {
    const gateway = await startMcp();
    const before = await count(gateway);
    const client = await connect(gateway.url, { onAsked: askNobody });

    const result = await client.callTool({ name, arguments: given });

    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining(problem)]);
    expect(textOf(result)).toContain('BAD_USER_INPUT');
    expect(await count(gateway)).toBe(before);
  });

  it.each([0, 101])('asks nobody about a bulk write of %i items', async (length) => {
    const texts = [
      '"Whole." mutation Whole($input: DeletePurchaseRequestsInput!) { deletePurchaseRequests(input: $input) { done } }',
      `"Items." mutation Items($items: [DeletePurchaseRequestsItem!] = []) {
        deletePurchaseRequests(input: { items: $items }) { done }
      }`,
    ];
    const { url } = await startMcp({ DOCUMENTS: writeDocuments(...texts) });
    const client = await connect(url, { onAsked: askNobody });
    const items = Array.from({ length }, (_, index) => ({ instanceId: String(index + 1) }));

    const results = [
      await client.callTool({ name: 'Whole', arguments: { input: { items } } }),
      await client.callTool({ name: 'Items', arguments: { items } }),
    ];

    for (const { content } of results) {
      expect(content).toMatchObject([{ text: expect.stringContaining('- input.items must have 1 to 100 items') }]);
    }
    const { tools } = await client.listTools();
    const limits = { type: 'array', minItems: 1, maxItems: 100 };
    expect(tools.map(({ inputSchema }) => inputSchema.properties)).toMatchObject([
      { input: { properties: { items: limits } } },
      { items: { ...limits, type: ['array', 'null'] } },
    ]);
  });

  it('shows a person what is in a text, and not what it looks like', async () => {
    const gateway = await startMcp();
    const asked: string[] = [];
    const onAsked = (message: string) => {
      asked.push(message);
      return { action: 'decline' as const };
    };
    const client = await connect(gateway.url, { onAsked });

    await client.callTool({
      name: 'RequestPurchase',
      arguments: { ...REQUEST, title: 'to \u202E21.NEBI\u200B\u3164\u{E0101}' },
    });

    const shown = String.raw`"title": "to \u202e21.NEBI\u200b\u3164\udb40\udd01"`;
    expect(asked).toEqual([expect.stringContaining(shown)]);
  });

  it('with MCP_CONFIRM=off takes the key by which a client sends it again, where the document has one', async () => {
    const update = readFileSync(join(EXAMPLES, 'UpdatePurchaseRequest.graphql'), 'utf8');
    const text = `"Drafts." mutation Draft($key: ID, $title: String!) {
      createPurchaseRequest(
        input: { idempotencyKey: $key, values: { title: $title, amount: 1, quantity: 1, requester: 3, status: DRAFT } }
      ) { instance { instanceId } }
    }`;
    const gateway = await startMcp({ MCP_CONFIRM: 'off', DOCUMENTS: writeDocuments(text, update) });
    const before = await count(gateway);
    const client = await connect(gateway.url);
    const { tools } = await client.listTools();
    const call = { name: 'Draft', arguments: { key: 'my-own', title: 'A lamp' } };

    const [first, again] = [await client.callTool(call), await client.callTool(call)];

    expect(tools.find(({ name }) => name === 'Draft')?.inputSchema.properties).toHaveProperty('key');
    expect(JSON.stringify(tools)).toContain('"idempotencyKey"');
    expect(again.structuredContent).toEqual(first.structuredContent);
    expect(await count(gateway)).toBe(before + 1);
  });
});

const askNobody = () => {
  throw new Error('Nobody may be asked.');
};
