import { describe, expect, it } from 'vitest';

import { readConfig } from '../../src/app/index.ts';
import { executeAs } from '../identity/support.ts';
import { startGateway } from '../support/gateway.ts';
import { type ScriptedAnswer, scriptPlatform } from '../support/scripted-platform.ts';

const START = 'startCase(input: { process: "p", KEY }) { case { caseId } }';
const DELETE = 'deleteInstance(input: { formId: "f", instanceId: "1", KEY }) { deletedId }';
const UPDATE =
  'updateInstance(input: { formId: "f", instanceId: "1", values: {}, KEY }) { __typename }';

async function gatewayBefore(answer: ScriptedAnswer) {
  const { env, seen } = await scriptPlatform(() => answer);
  const { execute } = await startGateway(env);
  const change = (mutation: string) =>
    execute(`mutation { ${mutation.replace('KEY', 'idempotencyKey: "k"')} }`);
  return { change, seen };
}

describe('idempotencyKey', () => {
  it('is answered with how long it is kept, which pages of other origins may read', async () => {
    const body = { idCase: 2, cdActivity: 3 };
    const { env } = await scriptPlatform(() => ({ status: 201, body }));
    const origin = 'https://app.example';
    const { url } = await startGateway({ ...env, CORS_ORIGINS: origin });
    const send = async (key: string) => {
      const { headers } = await executeAs(url, `mutation { ${START.replace('KEY', key)} }`, {
        origin,
      });
      expect(headers.get('access-control-expose-headers')).toContain('caseway-idempotency-keep');
      return headers.get('caseway-idempotency-keep');
    };

    expect([await send('idempotencyKey: "k"'), await send('')]).toEqual(['600', null]);
  });

  it('may be kept for more than ten minutes only where replicas share it', () => {
    const env = {
      IDEMPOTENCY_KEEP_MS: '86400000',
      UPSTREAM_URL: 'http://127.0.0.1:1',
      UPSTREAM_USERNAME: 'a',
      UPSTREAM_PASSWORD: 'b',
    };
    const SESSION_KEYS = Buffer.alloc(32).toString('base64');

    expect(() => readConfig(env)).toThrow(/IDEMPOTENCY_KEEP_MS/);
    expect(readConfig({ ...env, REDIS_URL: 'redis://127.0.0.1:1', SESSION_KEYS })).toBeDefined();
  });

  it('keeps an unknown outcome unknown: the mutation is not sent again', async () => {
    const { change, seen } = await gatewayBefore({ status: 201, body: '<cut' });

    for (const _ of [1, 2]) {
      const { errors } = await change(START);
      expect(errors).toMatchObject([{ extensions: { code: 'OUTCOME_UNKNOWN' } }]);
    }
    expect(seen).toHaveLength(1);
  });

  it('is BAD_USER_INPUT with another input or mutation than the first', async () => {
    const { change, seen } = await gatewayBefore({ status: 204 });
    await change(DELETE);

    for (const other of [UPDATE, DELETE.replace('"1"', '"2"')]) {
      const { errors } = await change(other);
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', retryable: false } }]);
    }
    expect(seen).toHaveLength(1);
  });
});

describe('outcomes stored for idempotency keys', () => {
  it('have the ids of created records, however large and many: a repeat reads the rest', async () => {
    const created: string[] = [];
    const { env } = await scriptPlatform(({ method, url, body }) => {
      const id = method === 'POST' ? created.push(body) : Number(url.split('/').at(-1));
      const record = { idInstance: id, ...JSON.parse(created[id - 1] ?? '{}') };
      return { status: method === 'POST' ? 201 : 200, body: record };
    });
    const { dataOf } = await startGateway(env);
    const create = (key: number) => {
      const values = { text: `${key}${'x'.repeat(15_000 + 50 * key)}` };
      return dataOf(
        'mutation ($input: CreateInstanceInput!) { createInstance(input: $input) { instance { instanceId values } } }',
        { input: { formId: 'f', values, idempotencyKey: String(key) } },
      );
    };

    const first = await create(0);
    for (let key = 1; key < 160; key++) await create(key);
    const again = [await create(0), await create(159)];

    expect(created).toHaveLength(160);
    expect(again).toMatchObject([first, { createInstance: { instance: { instanceId: '160' } } }]);
  });

  it('omit a large record: a repeat does not run again and reports that', async () => {
    const { change, seen } = await gatewayBefore({
      body: { parameters: [{ name: 'x', value: 'v'.repeat(1_000_000) }] },
    });
    const rule =
      'executeRule(input: { component: "c", version: "1", parameters: [], KEY }) { outputs { name } }';

    const [first, second] = [await change(rule), await change(rule)];

    const extensions = { code: 'BAD_USER_INPUT', retryable: false };
    expect(first.data).toEqual({ executeRule: { outputs: [{ name: 'x' }] } });
    expect(second.errors).toMatchObject([
      { message: expect.stringContaining('ran before'), extensions },
    ]);
    expect(seen).toHaveLength(1);
  });
});
