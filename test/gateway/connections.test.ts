import { createServer, type ServerResponse } from 'node:http';
import { expect, it } from 'vitest';

import { executeAs } from '../identity/support.ts';
import { startGateway } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';

/** One request that causes so many calls, none of which can be batched. */
const rules = (calls: number, name: string) =>
  `{ ${Array.from({ length: calls }, (_, index) => `a${index}: rule(component: "${name}${index}", version: "1") { name }`).join(' ')} }`;

/** A platform that answers at once, but holds the calls of `greedy` until they are released. */
async function holdGreedy() {
  const held: ServerResponse[] = [];
  let isHolding = true;
  const url = await listen(
    createServer((request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json');
      if (isHolding && request.headers.authorization === 'Bearer greedy' && request.url?.includes('held')) {
        held.push(response);
      } else response.end('{"parameters":[]}');
    }),
  );
  const release = () => {
    isHolding = false;
    for (const response of held.splice(0)) response.end('{"parameters":[]}');
  };
  return { url, held, release };
}

async function openForwarding(url: string) {
  const gateway = await startGateway({ UPSTREAM_URL: url, IDENTITY: 'forward', UPSTREAM_TIMEOUT_MS: '60000' });
  return (token: string, query: string) => executeAs(gateway.url, query, { authorization: `Bearer ${token}` });
}

it('one caller holds half of the connections to the platform, so that reads of others do not wait', async () => {
  const { url, held, release } = await holdGreedy();
  const execute = await openForwarding(url);
  // Both tokens are known to be accepted.
  await execute('greedy', rules(1, 'first'));
  await execute('modest', rules(1, 'first'));

  const greedy = Array.from({ length: 20 }, (_, n) => execute('greedy', rules(100, `held${n}-`)));
  await expect.poll(() => held.length).toBe(128);
  const modest = await Promise.all(Array.from({ length: 20 }, (_, n) => execute('modest', rules(1, `read${n}-`))));

  expect(modest.filter(({ errors }) => errors !== undefined)).toEqual([]);
  expect(held).toHaveLength(128);
  release();
  expect((await Promise.all(greedy)).filter(({ errors }) => errors !== undefined)).toEqual([]);
});
