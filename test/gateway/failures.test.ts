import { expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { type ScriptedAnswer, scriptPlatform } from '../support/scripted-platform.ts';

const READ = '{ form(formId: "f") { name } }';
const WRITE = 'mutation { createInstance(input: { formId: "f", values: {} }) { instance { id } } }';
const RULE = '{ rule(component: "c", version: "1") { name } }';

const LIMIT = { message: 'slow down', errorCode: 'REQUEST_LIMIT_EXCEEDED' };
const CANARY = 'secret-canary';

// test/faults/statuses.test.ts has the code of every status.
it.each<[code: string, query: string, answer: ScriptedAnswer, extensions: object]>([
  ['FORBIDDEN', READ, { status: 403, body: { errorCode: 'DENIED' } }, { retryable: false }],
  ['RATE_LIMITED', READ, { status: 403, body: LIMIT }, { retryable: true, retryAfterMs: 1_000 }],
  [
    'BAD_USER_INPUT',
    WRITE,
    { status: 400, body: { message: 'no' } },
    { upstream: { operation: 'createFormIntance', status: 400 } },
  ],
  [
    'RULE_UNAVAILABLE',
    RULE,
    { status: 400, body: {} },
    { upstream: { operation: 'getParameters', status: 400 } },
  ],
  ['UPSTREAM_ERROR', READ, { status: 500, body: CANARY }, { retryable: true }],
  ['UPSTREAM_ERROR', WRITE, { status: 503, body: CANARY }, { retryable: false }],
])('a platform failure is mapped to %s for %s', async (code, query, answer, extensions) => {
  const platform = await scriptPlatform(() => answer);
  const { execute } = await startGateway(platform.env);

  const result = await execute(query);

  expect(result).toMatchObject({
    status: 200,
    errors: [{ extensions: { code, requestId: expect.any(String), ...extensions } }],
  });
  expect(JSON.stringify(result)).not.toContain(CANARY);
});

it('a form with too many links is read, and fails only where they are selected', async () => {
  const links = Array(1_001).fill({ rel: 'related', href: '/a', method: 'GET' });
  const platform = await scriptPlatform(() => ({ body: { idForm: 'f', name: 'F', links } }));
  const { execute, dataOf } = await startGateway(platform.env);

  expect(await dataOf(READ)).toEqual({ form: { name: 'F' } });
  const { errors } = await execute('{ form(formId: "f") { name links { rel } } }');
  expect(errors).toMatchObject([
    {
      message: expect.stringContaining('1000 links'),
      path: ['form', 'links'],
      extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
    },
  ]);
});
