import { describe, expect, it } from 'vitest';

import {
  callerKeys,
  executeAs,
  platformToken,
  READ,
  signInAs,
  startPlatform,
  startService,
  startWith,
} from '../identity/support.ts';
import { runCommand } from '../support/run.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const QUERY = '{ __typename }';

const startLimited = () =>
  startService({ ...callerKeys('web', 'mobile'), CALLER_REQUESTS_PER_MINUTE: '2' });

describe('a caller over CALLER_REQUESTS_PER_MINUTE', () => {
  it('gets 429 with Retry-After while others are served', async () => {
    const { url } = await startLimited();
    const own = [];
    for (let count = 0; count < 3; count++)
      own.push(await executeAs(url, QUERY, { 'x-api-key': 'web' }));

    const other = await executeAs(url, QUERY, { 'x-api-key': 'mobile' });

    expect(own.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(own[2]?.errors).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', retryable: true } },
    ]);
    expect(Number(own[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(other.status).toBe(200);
  });

  it('is not limited by requests of strangers', async () => {
    const { url } = await startLimited();
    for (let count = 0; count < 5; count++) await executeAs(url, QUERY, { 'x-api-key': 'made up' });

    expect((await executeAs(url, QUERY, { 'x-api-key': 'web' })).status).toBe(200);
  });

  it.each([{ CALLER_AUTH: 'none' }, {}])(
    'must be authenticated: startup fails with %o',
    async (env) => {
      const { code, stderr } = await runCommand([], { CALLER_REQUESTS_PER_MINUTE: '2', ...env });

      expect(code).not.toBe(0);
      expect(stderr).toContain('CALLER_REQUESTS_PER_MINUTE');
    },
  );

  it('is counted with IDENTITY=forward once the platform has accepted the token', async () => {
    const platform = await startPlatform();
    const url = await startWith({
      UPSTREAM_URL: platform.url,
      IDENTITY: 'forward',
      CALLER_REQUESTS_PER_MINUTE: '2',
    });
    const statuses = async (authorization: string) => {
      const answers = [];
      for (let count = 0; count < 4; count++)
        answers.push(await executeAs(url, READ, { authorization }));
      return answers.map(({ status }) => status);
    };

    // The first response shows whether the platform accepted the token.
    expect(await statuses(await platformToken(platform.url, 'reader'))).toEqual([
      200, 200, 200, 429,
    ]);
    expect(await statuses('Bearer made-up')).toEqual([200, 200, 200, 200]);
  });

  it('is one user in any case of the name', async () => {
    const { env } = await scriptPlatform(() => ({ body: {} }));
    const url = await startWith({ ...env, IDENTITY: 'user', CALLER_REQUESTS_PER_MINUTE: '2' });
    const statusAs = async (name: string) =>
      (await executeAs(url, QUERY, await signInAs(url, name))).status;

    expect([
      await statusAs('Ann'),
      await statusAs('ann'),
      await statusAs('ANN'),
      await statusAs('bob'),
    ]).toEqual([200, 200, 429, 200]);
  });
});
