import { describe, expect, it } from 'vitest';

import { readConfig } from '../../src/app.ts';
import { executeAs } from '../identity/support.ts';
import { startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const START = 'startCase(input: { process: "p", KEY }) { case { caseId } }';
const DELETE = 'deleteInstance(input: { formId: "f", instanceId: "1", KEY }) { deletedId }';
const UPDATE = 'updateInstance(input: { formId: "f", instanceId: "1", values: {}, KEY }) { __typename }';

async function gatewayBefore(answer: (count: number) => { status: number; body?: unknown }) {
  const platform = await scriptPlatform(() => answer(platform.seen.length));
  const gateway = await startGateway(platform.env);
  const change = (mutation: string, key?: string) =>
    gateway.execute(`mutation { ${mutation.replace('KEY', key === undefined ? '' : `idempotencyKey: "${key}"`)} }`);
  return { change, seen: platform.seen };
}

describe('idempotencyKey', () => {
  it('is answered with how long it is kept, which pages of other origins may read', async () => {
    const platform = await scriptPlatform(() => ({ status: 201, body: { idCase: 2, cdActivity: 3 } }));
    const { url } = await startGateway({ ...platform.env, CORS_ORIGINS: 'https://app.example' });
    const send = async (input: string) => {
      const change = `mutation { startCase(input: { process: "p" ${input} }) { case { caseId } } }`;
      const { headers } = await executeAs(url, change, { origin: 'https://app.example' });
      return [headers.get('caseway-idempotency-keep'), headers.get('access-control-expose-headers')];
    };
    const exposed = expect.stringContaining('caseway-idempotency-keep');

    expect([await send('idempotencyKey: "k"'), await send('')]).toEqual([
      ['600', exposed],
      [null, exposed],
    ]);
  });

  it('may be kept for more than ten minutes only where replicas share it', () => {
    const env = { IDEMPOTENCY_KEEP_MS: '86400000' };
    const shared = { REDIS_URL: 'redis://127.0.0.1:1', SESSION_KEYS: Buffer.alloc(32).toString('base64') };
    const platform = { UPSTREAM_URL: 'http://127.0.0.1:1', UPSTREAM_USERNAME: 'a', UPSTREAM_PASSWORD: 'b' };

    expect(() => readConfig(env)).toThrow(/IDEMPOTENCY_KEEP_MS/);
    expect(readConfig({ ...platform, ...shared, IDEMPOTENCY_KEEP_MS: '86400000' })).toBeDefined();
  });

  it('keeps an unknown outcome unknown: the mutation is not sent again', async () => {
    const { change, seen } = await gatewayBefore(() => ({ status: 201, body: '<cut' }));

    const codes = [await change(START, 'k'), await change(START, 'k')].map(
      ({ errors }) => errors?.[0]?.extensions['code'],
    );

    expect(codes).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
    expect(seen).toHaveLength(1);
  });

  it('allows a retry after the platform refused for its request limit', async () => {
    const limit = { status: 403, headers: { 'retry-after': '0' }, body: { errorCode: 'REQUEST_LIMIT_EXCEEDED' } };
    const { change, seen } = await gatewayBefore((count) => (count === 1 ? limit : { status: 204 }));

    const first = await change(DELETE, 'k');
    const second = await change(DELETE, 'k');

    expect(first.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    expect(second.errors).toBeUndefined();
    expect(seen).toHaveLength(2);
  });

  it('is BAD_USER_INPUT with a mutation other than the first', async () => {
    const { change, seen } = await gatewayBefore(() => ({ status: 204 }));
    await change(DELETE, 'k');

    const other = await change(UPDATE, 'k');

    expect(other.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', retryable: false } }]);
    expect(seen).toHaveLength(1);
  });

  it('is optional: without it every mutation runs', async () => {
    const { change, seen } = await gatewayBefore(() => ({ status: 204 }));

    for (let time = 0; time < 2; time++) await change(DELETE);

    expect(seen).toHaveLength(2);
  });
});
