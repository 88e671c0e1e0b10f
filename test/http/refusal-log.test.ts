import { describe, expect, it } from 'vitest';

import { callerKeys } from '../identity/support.ts';
import { postBody, startGateway, type TestGateway } from '../support/gateway.ts';

const QUERY = { query: '{ __typename }' };

const refusedIn = (gateway: TestGateway) =>
  gateway.logged().filter(({ msg }) => msg === 'request refused');

describe('the log line of a refused request', () => {
  it.each([
    ['is not JSON', '{', 400, 'BAD_USER_INPUT'],
    ['is too large', ' '.repeat(300_000), 413, 'BAD_USER_INPUT'],
  ])('names a body that %s', async (_what, body, status, code) => {
    const gateway = await startGateway({ LOG_LEVEL: 'info' });

    const response = await postBody(gateway.url, body);

    expect(response.status).toBe(status);
    const requestId = response.headers.get('x-request-id');
    expect(refusedIn(gateway)).toMatchObject([{ requestId, code, status }]);
  });

  it('names the caller and the limit of too many requests', async () => {
    const gateway = await startGateway({
      LOG_LEVEL: 'info',
      CALLER_REQUESTS_PER_MINUTE: '1',
      ...callerKeys('web'),
    });
    const send = () => postBody(gateway.url, QUERY, { 'x-api-key': 'web' });

    const statuses = [(await send()).status, (await send()).status];

    expect(statuses).toEqual([200, 429]);
    expect(refusedIn(gateway)).toMatchObject([
      { caller: 'web', code: 'RATE_LIMITED', limitOf: 'caller', status: 429 },
    ]);
  });

  it('is written ten times a second and code, and the others are counted', async () => {
    const gateway = await startGateway({ LOG_LEVEL: 'info' });
    const send = async () => (await postBody(gateway.url, '{')).status;

    const statuses = await Promise.all(Array.from({ length: 50 }, send));

    expect(new Set(statuses)).toEqual(new Set([400]));
    await expect
      .poll(() => {
        const leftOut = gateway.logged().map((line) => line.leftOut ?? 0);
        return leftOut.reduce((sum, count) => sum + count, refusedIn(gateway).length);
      })
      .toBe(50);
    expect(refusedIn(gateway).length).toBeLessThan(50);
  });
});
