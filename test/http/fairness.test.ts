import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashApiKey } from '../../src/http/auth/callers.ts';
import { executeAs, signIn, startWith } from '../identity/support.ts';
import { startChainPlatform } from '../support/chain-platform.ts';
import { startGateway } from '../support/gateway.ts';
import { limits } from '../support/limits.ts';
import { listen } from '../support/listen.ts';

const LIMIT = 8;
const WEB = { 'x-api-key': 'web' };
const MOBILE = { 'x-api-key': 'mobile' };
const QUERY = '{ __typename }';

/** A gateway whose callers are known by keys, before a platform that answers nothing until the end of the test. */
async function start() {
  const platform = await startChainPlatform();
  const { url, close } = await startGateway({
    ...platform.env,
    CALLER_AUTH: 'key',
    CALLER_KEYS: ['web', 'mobile'].map((name) => `${name}:${hashApiKey(name)}`).join(),
    ...limits({ maxConcurrentRequests: LIMIT }),
  });
  const pending: Promise<unknown>[] = [];
  onTestFinished(async () => {
    for (const call of platform.calls) call.answer();
    await Promise.all(pending);
    await close();
  });
  let reads = 0;
  const held = { web: new Set<string>(), mobile: new Set<string>() };
  /** Begins one more read that waits for the platform, if the caller gets a permit. */
  const hold = async (name: keyof typeof held) => {
    const formId = `${name}-${reads++}`;
    const answer = executeAs(url, `{ form(formId: "${formId}") { name } }`, { 'x-api-key': name });
    pending.push(answer);
    const isRefused = await Promise.race([answer.then(({ status }) => status === 429), callFor(formId)]);
    if (!isRefused) held[name].add(formId);
    return held[name].size;
  };
  const callFor = async (formId: string) => {
    await expect.poll(() => platform.calls.some(({ path }) => path.endsWith(`/${formId}`)), { interval: 5 }).toBe(true);
    return false;
  };
  return { url, hold };
}

const statuses = async (url: string, count: number, headers: Readonly<Record<string, string>>) => {
  const answers = [];
  for (let n = 0; n < count; n++) answers.push(await executeAs(url, QUERY, headers));
  return answers.map(({ status }) => status);
};

describe('a caller with many slow requests', () => {
  it('gets half of the limit, and others are served', async () => {
    const { url, hold } = await start();
    for (let n = 0; n < LIMIT; n++) await hold('web');
    expect(await hold('web')).toBe(LIMIT / 2);

    expect(await statuses(url, 3, WEB)).toEqual([429, 429, 429]);
    expect(await statuses(url, 20, MOBILE)).toEqual(Array(20).fill(200));
  });
});

describe('strangers who sign in', () => {
  it('get half of the limit, and users are served', async () => {
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
    const { data } = await executeAs(url, signIn('ann'));
    const headers = { authorization: `Bearer ${data.signIn.sessionToken}` };

    const strangers = Array.from({ length: 20 }, (_, n) => executeAs(url, signIn(`stranger-${n}`)));
    const refused = await Promise.race(strangers);
    await expect.poll(() => signIns).toBeGreaterThan(0);

    expect(refused.status).toBe(429);
    expect(signIns).toBeLessThanOrEqual(LIMIT / 2);
    await expect.poll(() => statuses(url, 20, headers)).toEqual(Array(20).fill(200));
  });
});
