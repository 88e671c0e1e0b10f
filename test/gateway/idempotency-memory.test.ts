import { describe, expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const EXECUTE = `mutation ($key: ID!) {
  executeRule(input: { component: "c", version: "1", parameters: [], idempotencyKey: $key }) { outputs { name } }
}`;

/** A platform whose rule has an output of so many characters. */
const startPlatform = (length: number) =>
  scriptPlatform(() => ({ body: { parameters: [{ name: 'x', value: 'v'.repeat(length) }] } }));

describe('outcomes stored for idempotency keys', () => {
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
