import { describe, expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const EXECUTE = `mutation ($key: ID!) {
  executeRule(input: { component: "c", version: "1", parameters: [], idempotencyKey: $key }) { outputs { name } }
}`;

/** A platform whose rule has an output of so many characters. */
const startPlatform = (length: number) =>
  scriptPlatform(() => ({ body: { parameters: [{ name: 'x', value: 'v'.repeat(length) }] } }));

const CREATE = `mutation ($key: ID!, $values: JSONObject!) {
  createInstance(input: { formId: "f", values: $values, idempotencyKey: $key }) { instance { instanceId values } }
}`;

describe('outcomes stored for idempotency keys', () => {
  it('have the ids of what was created, however large and many: a repeat reads the rest', async () => {
    const created: string[] = [];
    const platform = await scriptPlatform(({ method, url, body }) => {
      const id = method === 'POST' ? created.push(body) : Number(url.split('/').at(-1));
      return {
        status: method === 'POST' ? 201 : 200,
        body: { idInstance: id, ...JSON.parse(created[id - 1] ?? '{}') },
      };
    });
    const { execute } = await startGateway(platform.env);
    const create = (key: number) =>
      execute(CREATE, { key, values: { text: `${key}${'x'.repeat(15_000 + 50 * key)}` } });

    const first = await create(0);
    for (let key = 1; key < 160; key++) await create(key);
    const answers = [await create(0), await create(159)];

    expect(created).toHaveLength(160);
    expect(answers[0]?.data).toEqual(first.data);
    expect(answers[1]?.data.createInstance.instance.instanceId).toBe('160');
  });

  it('omit a large record: a repeat does not run again and reports that', async () => {
    const platform = await startPlatform(1_000_000);
    const gateway = await startGateway(platform.env);

    const first = await gateway.execute(EXECUTE, { key: 'k' });
    const second = await gateway.execute(EXECUTE, { key: 'k' });

    expect(first.data).toEqual({ executeRule: { outputs: [{ name: 'x' }] } });
    expect(second.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', retryable: false } }]);
    expect(second.errors?.[0]?.message).toContain('ran before');
    expect(platform.seen).toHaveLength(1);
  });
});
