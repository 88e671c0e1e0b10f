import { resolve } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';

import { startRedis } from '../../../support/redis.ts';
import { startPlatform, startReplicas, whileShared } from '../../replicas/replicas.ts';
import { CONFIRMED, connect, createRecorder, EXAMPLES, REQUEST } from '../support.ts';

const create = { name: 'RequestPurchase', arguments: REQUEST };

async function startTwo(limits: Readonly<Record<string, string>> = {}) {
  const [platform, redis] = await Promise.all([startPlatform(), startRedis()]);
  const env = { UPSTREAM_URL: platform.url, REDIS_URL: redis.url, MCP: 'all', TYPED_FORMS: '*' };
  const replicas = await startReplicas(2, { ...env, ...limits, DOCUMENTS: resolve(EXAMPLES) });
  const [first = '', second = ''] = replicas.map(({ url }) => url);
  const countWrites = () => platform.calls.filter((call) => call === 'createFormIntance').length;
  return { replicas, first, second, countWrites };
}

describe('a mutation of MCP before two replicas', () => {
  it('is asked at one and confirmed at the other, and is one change wherever the confirmation is sent again', async () => {
    const { first, second, countWrites } = await startTwo();
    const { fetch: record, send, confirmed } = createRecorder();
    const atSecond: typeof fetch = (input, init) =>
      record(String(init?.body).includes('requestState') ? `${second}/mcp` : input, init);
    const client = await connect(first, { onAsked: CONFIRMED, fetch: atSecond });

    const { isError, structuredContent } = await client.callTool(create);
    const again = await Promise.all([first, second, first, second].map((url) => send(url)));

    expect([isError, confirmed.length]).toEqual([undefined, 1]);
    expect(again.map((result) => result.structuredContent)).toEqual(Array(4).fill(structuredContent));
    expect(countWrites()).toBe(1);
  });

  it('is one change where the confirmation reaches both at the same time', async () => {
    const { first, second, countWrites } = await startTwo();
    const results: { readonly structuredContent: unknown }[] = [];
    const toBoth = (async (input: string, init: RequestInit = {}) => {
      if (!String(init.body).includes('requestState')) return fetch(input, init);
      const sent = [fetch(`${first}/mcp`, init), fetch(`${second}/mcp`, init)] as const;
      const [response, other] = await Promise.all(sent);
      results.push(JSON.parse(await other.text()).result);
      return response;
    }) as typeof fetch;
    const client = await connect(first, { onAsked: CONFIRMED, fetch: toBoth });

    const { structuredContent } = await client.callTool(create);

    expect(structuredContent).toMatchObject({ createPurchaseRequest: { instance: { title: 'A lamp' } } });
    expect(results).toMatchObject([{ structuredContent }]);
    expect(countWrites()).toBe(1);
  });
});

describe('the call budget of agents', () => {
  it('is one for all replicas', async () => {
    const callAt = async (client: Client) =>
      JSON.stringify(await client.callTool({ name: 'FindPurchaseRequests', arguments: { status: 'DRAFT' } }));

    const { answers } = await whileShared(async () => {
      // One call at once, and the next one ten seconds later.
      const { replicas, first, second } = await startTwo({ UPSTREAM_CALLS_PER_MINUTE: '24' });
      const [one, other] = await Promise.all([connect(first), connect(second)]);
      return { replicas, answers: [await callAt(one), await callAt(other)] };
    });

    const usedUp = 'RATE_LIMITED: Agents have made as many calls';
    expect(answers).toEqual([expect.not.stringContaining(usedUp), expect.stringContaining(usedUp)]);
  });
});
