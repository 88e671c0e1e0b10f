import { describe, expect, it } from 'vitest';

import { hashApiKey } from '../../src/http/auth/callers.ts';
import { askAs, startPlatform, startWith } from '../identity/support.ts';
import { runMain } from '../support/run.ts';

const QUERY = '{ __typename }';

async function startLimited() {
  const { url: UPSTREAM_URL } = await startPlatform();
  return startWith({
    ...{ UPSTREAM_URL, UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' },
    CALLER_AUTH: 'key',
    CALLER_KEYS: ['web', 'mobile'].map((name) => `${name}:${hashApiKey(name)}`).join(),
    CALLER_REQUESTS_PER_MINUTE: '2',
  });
}

describe('a caller over CALLER_REQUESTS_PER_MINUTE', () => {
  it('is refused by 429 with Retry-After, while others are served', async () => {
    const url = await startLimited();
    const own = [];
    for (let count = 0; count < 3; count++) own.push(await askAs(url, QUERY, { 'x-api-key': 'web' }));

    const other = await askAs(url, QUERY, { 'x-api-key': 'mobile' });

    expect(own.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(own[2]?.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED', retryable: true } }]);
    expect(Number(own[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(other.status).toBe(200);
  });

  it('is not refused for what strangers send', async () => {
    const url = await startLimited();
    for (let count = 0; count < 5; count++) await askAs(url, QUERY, { 'x-api-key': 'made up' });

    expect((await askAs(url, QUERY, { 'x-api-key': 'web' })).status).toBe(200);
  });

  it('must be known: the setting needs callers who are authenticated', async () => {
    const { code, stderr } = await runMain([], { CALLER_REQUESTS_PER_MINUTE: '2', IDENTITY: 'forward' }).ended;

    expect(code).not.toBe(0);
    expect(stderr).toContain('CALLER_REQUESTS_PER_MINUTE');
  });
});
