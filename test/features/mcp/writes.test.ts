import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';

import { CONFIRMED, connect, REQUEST, startMcp, writeDocuments } from './support.ts';

const create = { name: 'RequestPurchase', arguments: REQUEST };
const count = async ({ execute }: Awaited<ReturnType<typeof startMcp>>): Promise<number> =>
  (await execute('{ purchaseRequests { totalCount } }')).data.purchaseRequests.totalCount;
const textOf = ({ content }: Awaited<ReturnType<Client['callTool']>>): string =>
  (content as { text: string }[]).map(({ text }) => text).join('\n');

interface Message {
  readonly method: string;
  readonly params: { readonly arguments: Record<string, unknown>; requestState?: string };
}

/** Keeps the requests that confirm a tool, each with its headers, and gives a way to send one again. */
function createRecorder() {
  const confirmed: { init: RequestInit; message: Message }[] = [];
  return {
    confirmed,
    fetch: (async (input: string, init: RequestInit = {}) => {
      const message = init.body ? JSON.parse(String(init.body)) : {};
      if (message.params?.requestState) confirmed.push({ init, message });
      return fetch(input, init);
    }) as typeof fetch,
    async send(
      url: string,
      change: (message: Message) => void = () => undefined,
      headers: Record<string, string> = {},
    ) {
      const [{ init, message } = { init: {}, message: {} as Message }] = confirmed;
      const copy = structuredClone(message);
      change(copy);
      const merged = new Headers(init.headers);
      for (const [name, value] of Object.entries(headers)) merged.set(name, value);
      const response = await fetch(`${url}/mcp`, { ...init, headers: merged, body: JSON.stringify(copy) });
      return JSON.parse(await response.text()).result;
    },
  };
}

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

  it('cannot be confirmed for other arguments, or with a state that was changed', async () => {
    const gateway = await startMcp();
    const before = await count(gateway);
    const { fetch, send } = createRecorder();
    const client = await connect(gateway.url, { onAsked: CONFIRMED, fetch });
    await client.callTool(create);

    const other = await send(gateway.url, ({ params }) => {
      params.arguments['amount'] = '99999';
    });
    const forged = await send(gateway.url, ({ params }) => {
      params.requestState = `${params.requestState?.slice(0, -4)}AAAA`;
    });

    for (const { isError, content } of [other, forged]) {
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

  it('gives each change of an operation a key of its own, whole inputs as well', async () => {
    const text = `"Changes two." mutation Two($input: UpdatePurchaseRequestInput!, $title: String!, $key: ID) {
      a: updatePurchaseRequest(input: $input) { instance { title } }
      b: updatePurchaseRequest(input: { instanceId: "42", idempotencyKey: $key, values: { title: $title } }) { instance { title } }
      c: updatePurchaseRequest(input: { instanceId: "43", values: { title: $title } }) { instance { title } }
    }`;
    const { url } = await startMcp({ DOCUMENTS: writeDocuments(text) });
    const client = await connect(url, { onAsked: CONFIRMED });
    const { tools } = await client.listTools();

    const input = { instanceId: '41', values: { title: 'one' } };
    const { structuredContent } = await client.callTool({ name: 'Two', arguments: { input, title: 'two' } });

    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['input', 'title']);
    expect(structuredContent).toEqual({
      a: { instance: { title: 'one' } },
      b: { instance: { title: 'two' } },
      c: { instance: { title: 'two' } },
    });
  });

  it('asks nobody about values that cannot be sent', async () => {
    const { url } = await startMcp();
    const client = await connect(url, {
      onAsked() {
        throw new Error('Nobody may be asked.');
      },
    });

    const result = await client.callTool({ name: 'RequestPurchase', arguments: { title: 'A lamp' } });

    expect(textOf(result)).toContain('BAD_USER_INPUT');
  });
});
