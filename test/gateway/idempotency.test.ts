import { describe, expect, it } from 'vitest';

import type { MutationResolvers } from '../../src/__generated__/resolvers.ts';
import { readConfig } from '../../src/app.ts';
import { executeAs } from '../identity/support.ts';
import { startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const BODY: Readonly<Record<string, object>> = {
  createInstance: { idInstance: 1, values: { a: 1 } },
  startCase: { idCase: 2, cdActivity: 3 },
  executeActivity: { idCase: 2, cdActivity: 4 },
  executeRule: { parameters: [{ name: 'x', value: 1 }] },
};

const MUTATIONS = {
  createInstance: ['createInstance(input: { formId: "f", values: { a: 1 }, KEY }) { instance { instanceId } }', 201],
  replaceInstance: ['replaceInstance(input: { formId: "f", instanceId: "1", values: {}, KEY }) { __typename }', 202],
  updateInstance: ['updateInstance(input: { formId: "f", instanceId: "1", values: {}, KEY }) { __typename }', 202],
  deleteInstance: ['deleteInstance(input: { formId: "f", instanceId: "1", KEY }) { deletedId }', 204],
  startCase: ['startCase(input: { process: "p", KEY }) { case { caseId } }', 201],
  executeActivity: ['executeActivity(input: { caseId: "2", activityId: "3", KEY }) { case { caseId } }', 202],
  executeRule: [
    'executeRule(input: { component: "c", version: "1", parameters: [], KEY }) { outputs { name value } }',
    200,
  ],
} as const satisfies Record<Exclude<keyof MutationResolvers, 'signIn' | 'signOut'>, readonly [string, number]>;

async function gatewayBefore(answer: (count: number) => { status: number; body?: unknown }) {
  const platform = await scriptPlatform(() => answer(platform.seen.length));
  const gateway = await startGateway(platform.env);
  const change = (mutation: string, key?: string) =>
    gateway.execute(`mutation { ${mutation.replace('KEY', key === undefined ? '' : `idempotencyKey: "${key}"`)} }`);
  return { change, seen: platform.seen };
}

describe('idempotencyKey', () => {
  it('is answered with how long it is kept, which pages of other origins may read', async () => {
    const platform = await scriptPlatform(() => ({ status: 201, body: BODY['startCase'] }));
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

  it.each(Object.entries(MUTATIONS))(
    'makes %s run once, however often it is repeated',
    async (name, [mutation, status]) => {
      const { change, seen } = await gatewayBefore(() => ({ status, body: BODY[name] }));

      const answers = [
        await change(mutation, 'k'),
        await change(mutation, 'k'),
        ...(await Promise.all([1, 2].map(() => change(mutation, 'k')))),
      ];

      expect(answers[0]?.errors).toBeUndefined();
      expect(new Set(answers.map(({ data }) => JSON.stringify(data)))).toHaveLength(1);
      expect(seen).toHaveLength(1);
    },
  );

  it('keeps an unknown outcome unknown: the mutation is not sent again', async () => {
    const { change, seen } = await gatewayBefore(() => ({ status: 201, body: '<cut' }));
    const [mutation] = MUTATIONS.startCase;

    const codes = [await change(mutation, 'k'), await change(mutation, 'k')].map(
      ({ errors }) => errors?.[0]?.extensions['code'],
    );

    expect(codes).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
    expect(seen).toHaveLength(1);
  });

  it('allows a retry after the platform refused for its request limit', async () => {
    const limit = { status: 403, headers: { 'retry-after': '0' }, body: { errorCode: 'REQUEST_LIMIT_EXCEEDED' } };
    const { change, seen } = await gatewayBefore((count) => (count === 1 ? limit : { status: 204 }));
    const [mutation] = MUTATIONS.deleteInstance;

    const first = await change(mutation, 'k');
    const second = await change(mutation, 'k');

    expect(first.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    expect(second.errors).toBeUndefined();
    expect(seen).toHaveLength(2);
  });

  it('is BAD_USER_INPUT with a mutation other than the first', async () => {
    const { change, seen } = await gatewayBefore(() => ({ status: 204 }));
    await change(MUTATIONS.deleteInstance[0], 'k');

    const other = await change(MUTATIONS.updateInstance[0], 'k');

    expect(other.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', retryable: false } }]);
    expect(seen).toHaveLength(1);
  });

  it('is optional: without it every mutation runs', async () => {
    const { change, seen } = await gatewayBefore(() => ({ status: 204 }));

    for (let time = 0; time < 2; time++) await change(MUTATIONS.deleteInstance[0]);

    expect(seen).toHaveLength(2);
  });
});
