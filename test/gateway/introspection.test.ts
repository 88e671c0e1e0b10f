import { describe, expect, it } from 'vitest';

import { postGraphql, startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const TEXT = 'x'.repeat(1_000_000);
/** Forty million characters, which no answer may have. */
const TOO_MUCH = `instance(formId: "f", instanceId: "1") {
  ${Array.from({ length: 40 }, (_, index) => `a${index}: value(field: "text")`).join(' ')}
}`;

/** A gateway before a platform with an instance of a megabyte. */
async function startBeforeMuch(env: Readonly<Record<string, string>>) {
  const platform = await scriptPlatform(() => ({ body: { idInstance: 1, values: { text: TEXT } } }));
  return startGateway({ ...platform.env, CALLER_AUTH: 'none', ...env });
}

describe.each(['production', 'development'])('in %s, introspection beside other fields', (NODE_ENV) => {
  it.each([
    ['__type', `{ x: __type(name: "x") { name } ${TOO_MUCH} }`],
    ['__schema', `{ __schema { queryType { name } } ${TOO_MUCH} }`],
    ['__type in a fragment', `{ ${TOO_MUCH} ...F } fragment F on Query { x: __type(name: "x") { name } }`],
    ['__type in another operation', `query A { ${TOO_MUCH} } query B { x: __type(name: "x") { name } }`],
  ])('bypasses no response limit: %s', async (_where, query) => {
    const gateway = await startBeforeMuch({ NODE_ENV });
    const operationName = query.startsWith('query A') ? 'A' : undefined;

    const { errors, data } = await postGraphql(gateway.url, JSON.stringify({ query, operationName }));

    expect(errors).toMatchObject([{ extensions: { code: 'ANSWER_TOO_LARGE' } }]);
    expect(data ?? null).toBeNull();
  });

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

  it('covers the executed operation, not others in the document', async () => {
    const gateway = await startBeforeMuch({ NODE_ENV });
    const query = `
      query A { x: instance(formId: "f", instanceId: "1") { instanceId } }
      query B { x: __type(name: "Nothing") { name } }
    `;

    const execute = (operationName: string) => postGraphql(gateway.url, JSON.stringify({ query, operationName }));

    expect((await execute('A')).data).toEqual({ x: { instanceId: '1' } });
    expect((await execute('B')).data).toEqual({ x: null });
    expect((await execute('A')).data).toEqual({ x: { instanceId: '1' } });
  });
});
