import { describe, expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const TEXT = 'x'.repeat(1_000_000);

/** A gateway before a platform with an instance of a megabyte. */
async function startBeforeMuch(env: Readonly<Record<string, string>>) {
  const platform = await scriptPlatform(() => ({ body: { idInstance: 1, values: { text: TEXT } } }));
  return startGateway({ ...platform.env, CALLER_AUTH: 'none', ...env });
}

describe.each(['production', 'development'])('in %s, introspection beside other fields', (NODE_ENV) => {
  it('is answered in place with the other fields', async () => {
    const gateway = await startBeforeMuch({ NODE_ENV });

    const { data, errors } = await gateway.execute(`{
      first: __typename
      x: __type(name: "Nothing") { name }
      instance(formId: "f", instanceId: "1") { instanceId }
      y: __schema { queryType { name } }
    }`);

    expect(errors).toBeUndefined();
    expect(JSON.stringify(data)).toBe(
      '{"first":"Query","x":null,"instance":{"instanceId":"1"},"y":{"queryType":{"name":"Query"}}}',
    );
  });
});
