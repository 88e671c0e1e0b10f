import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { callerKeys, executeAs, signIn, signInAs, startWith } from '../identity/support.ts';
import { startChainPlatform } from '../support/chain-platform.ts';
import { limits } from '../support/limits.ts';
import { listen } from '../support/listen.ts';

const LIMIT = 8;
const WEB = { 'x-api-key': 'web' };

const statuses = async (url: string, count: number, headers: Readonly<Record<string, string>>) => {
  const all = [];
  while (all.length < count) all.push((await executeAs(url, '{ __typename }', headers)).status);
  return all;
};

it('a caller with many slow requests gets half of the limit, and others are served', async () => {
  const { env, calls } = await startChainPlatform();
  const url = await startWith({
    ...env,
    ...callerKeys('web', 'mobile'),
    ...limits({ maxConcurrentRequests: LIMIT }),
  });
  let refused = 0;
  const reads = Array.from({ length: LIMIT }, async (_, n) => {
    const { status } = await executeAs(url, `{ form(formId: "f${n}") { name } }`, WEB);
    if (status === 429) refused++;
  });
  await expect.poll(() => [calls.length, refused]).toEqual([LIMIT / 2, LIMIT / 2]);

  expect(await statuses(url, 3, WEB)).toEqual([429, 429, 429]);
  expect(await statuses(url, 20, { 'x-api-key': 'mobile' })).toEqual(Array(20).fill(200));
  for (const call of calls) call.answer();
  await Promise.all(reads);
});

it('strangers who sign in get half of the limit, and users are served', async () => {
  let signIns = 0;
  const platform = createServer((request, response) => {
    request.resume();
    const [name] = atob(request.headers.authorization?.replace('Basic ', '') ?? '').split(':');
    if (name === 'ann') response.end(JSON.stringify({ access_token: 'token', expires_in: 3600 }));
    else signIns++;
  });
  const url = await startWith({
    UPSTREAM_URL: await listen(platform),
    IDENTITY: 'user',
    ...limits({ maxConcurrentRequests: LIMIT }),
  });
  const headers = await signInAs(url, 'ann');

  const strangers = Array.from({ length: 20 }, (_, n) => executeAs(url, signIn(`stranger-${n}`)));
  const refused = await Promise.race(strangers);
  await expect.poll(() => signIns).toBeGreaterThan(0);

  expect(refused.status).toBe(429);
  expect(signIns).toBeLessThanOrEqual(LIMIT / 2);
  await expect.poll(() => statuses(url, 20, headers)).toEqual(Array(20).fill(200));
});
