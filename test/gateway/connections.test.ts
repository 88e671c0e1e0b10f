import { expect, it } from 'vitest';

import { executeAs, startWith } from '../identity/support.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const times = <T>(count: number, run: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => run(n));

/** A request with this number of calls that cannot be batched. */
const rules = (calls: number, name: string) =>
  `{ ${times(calls, (n) => `a${n}: rule(component: "${name}${n}", version: "1") { name }`).join(' ')} }`;

it('one caller holds half of the connections to the platform, so that reads of others do not wait', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let held = 0;
  const { env } = await scriptPlatform(async ({ headers, url }) => {
    if (headers.authorization === 'Bearer greedy' && url.includes('held')) {
      held++;
      await released;
    }
    return { body: { parameters: [] } };
  });
  const patient = { IDENTITY: 'forward', UPSTREAM_TIMEOUT_MS: '60000' };
  const url = await startWith({ UPSTREAM_URL: env.UPSTREAM_URL, ...patient });
  const execute = (token: string, query: string) =>
    executeAs(url, query, { authorization: `Bearer ${token}` });
  // Both tokens are known to be accepted.
  await execute('greedy', rules(1, 'first'));
  await execute('modest', rules(1, 'first'));

  const greedy = times(5, (n) => execute('greedy', rules(100, `held${n}-`)));
  await expect.poll(() => held).toBe(128);
  const modest = await Promise.all(times(20, (n) => execute('modest', rules(1, `read${n}-`))));

  for (const { errors } of modest) expect(errors).toBeUndefined();
  expect(held).toBe(128);
  release();
  for (const { errors } of await Promise.all(greedy)) expect(errors).toBeUndefined();
});
