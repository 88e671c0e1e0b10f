import { describe, expect, it } from 'vitest';
import { postGraphql, startCountedGateway } from '../support/gateway.ts';

/** The first time the server looks at the request, from the second on the operation is prepared. */
const TIMES = [1, 2, 3];

describe('the operation of a document', () => {
  const CHANGE =
    'mutation { updateInstance(input: { formId: "supplier", instanceId: 1, values: { name: "New" } }) { __typename } }';

  it('does not run as a mutation by GET under any name once it is prepared', async () => {
    const { url, execute, calls } = await startCountedGateway();
    await execute(CHANGE);
    calls.length = 0;

    for (const name of [' ', '-', '0', 'undefined']) {
      const search = new URLSearchParams({ query: CHANGE, operationName: name });
      const response = await fetch(`${url}/graphql?${search}`, {
        headers: { accept: 'application/json' },
      });
      expect(await response.json()).toMatchObject({
        errors: [{ message: `Unknown operation named "${name}".` }],
      });
    }

    expect(calls).toEqual([]);
  });

  it('is not found by a substring of its document as its name', async () => {
    const { url, execute } = await startCountedGateway();
    await postGraphql(url, { query: 'query A {__typename}', operationName: 'A' });
    await execute('query A {__typename}');

    for (const [operationName, query] of [
      [undefined, 'Aquery A {__typename}'],
      ['A query', 'A {__typename}'],
      ['query', 'A {__typename}'],
      ['1', ':Aquery A {__typename}'],
    ]) {
      const answer = await postGraphql(url, { query, operationName });
      expect(answer.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    }
  });

  it('is rejected as a client error when the schema has no such root type', async () => {
    const { execute } = await startCountedGateway({ LIVE_INTERVAL_MS: '0' });

    for (const _ of TIMES) {
      const { status, errors } = await execute('subscription { __typename }');
      expect(status).toBe(400);
      expect(errors).toMatchObject([
        {
          message: 'Schema is not configured to execute subscription operation.',
          extensions: { code: 'BAD_USER_INPUT', retryable: false },
        },
      ]);
    }
  });
});
