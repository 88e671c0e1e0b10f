import { describe, expect, it } from 'vitest';

import { postGraphql, shareGateway } from '../support/gateway.ts';

const gateway = shareGateway({ LIVE_INTERVAL_MS: '0' });

describe('the operation of a document', () => {
  const CHANGE =
    'mutation { updateInstance(input: { formId: "supplier", instanceId: 1, values: { name: "New" } }) { __typename } }';

  it('does not run as a mutation by GET under any name once it is prepared', async () => {
    await gateway.execute(CHANGE);
    gateway.calls.length = 0;

    for (const operationName of [' ', '-', '0', 'undefined']) {
      const search = new URLSearchParams({ query: CHANGE, operationName });
      const response = await fetch(`${gateway.url}/graphql?${search}`);
      expect(await response.json()).toMatchObject({
        errors: [{ message: `Unknown operation named "${operationName}".` }],
      });
    }
    expect(gateway.calls).toEqual([]);
  });

  it('is not found by a substring of its document as its name', async () => {
    await postGraphql(gateway.url, { query: 'query A {__typename}', operationName: 'A' });
    await gateway.execute('query A {__typename}');

    for (const [operationName, query] of [
      [undefined, 'Aquery A {__typename}'],
      ['A query', 'A {__typename}'],
      ['query', 'A {__typename}'],
      ['1', ':Aquery A {__typename}'],
    ]) {
      const { errors } = await postGraphql(gateway.url, { query, operationName });
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    }
  });

  it('is rejected as a client error when the schema has no such root type', async () => {
    // The first time the server looks at the request, from the second on the operation is prepared.
    for (const _ of [1, 2, 3]) {
      expect(await gateway.execute('subscription { __typename }')).toMatchObject({
        status: 400,
        errors: [
          {
            message: 'Schema is not configured to execute subscription operation.',
            extensions: { code: 'BAD_USER_INPUT', retryable: false },
          },
        ],
      });
    }
  });
});
