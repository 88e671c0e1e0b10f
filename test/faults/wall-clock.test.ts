import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { callerKeys, executeAs, startService } from '../identity/support.ts';
import { codeOf, rule, setAhead, startFaultyGateway } from './support/faulty-gateway.ts';
import { answers, answerWell } from './support/faulty-platform.ts';

const HOUR_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const setClockBack = () => vi.setSystemTime(Date.now() - HOUR_MS);

it('a token is renewed in time after the wall clock is set back', async () => {
  const issue = answers(200, '{"access_token":"token","expires_in":60}');
  const { execute, signedIn } = await startFaultyGateway(answerWell, {}, issue);
  await execute(rule('a'));

  setClockBack();
  setAhead(60_000);
  await execute(rule('b'));

  expect(signedIn).toHaveLength(2);
});

it('a refused token is tried again in seconds after the wall clock is set back', async () => {
  const { gatewayUrl, heal } = await startFaultyGateway(answers(401), { IDENTITY: 'forward' });
  const read = () =>
    executeAs(gatewayUrl, rule('bad'), { authorization: 'Bearer ann' }).then(codeOf);
  expect(await read()).toBe('UNAUTHENTICATED');
  heal();

  setClockBack();
  setAhead(2_000);

  expect(await read()).toBeUndefined();
});

it('a caller at the limit waits no longer than a minute after the wall clock is set back', async () => {
  const env = { ...callerKeys('web'), CALLER_REQUESTS_PER_MINUTE: '1' };
  const { url } = await startService(env);
  const execute = () => executeAs(url, '{ __typename }', { 'x-api-key': 'web' });
  await execute();

  setClockBack();
  const limited = await execute();

  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get('retry-after'))).toBeLessThanOrEqual(60);
});
