import { describe, expect, it } from 'vitest';

import { codeOf, shortPause, startFaultyGateway } from './support/faulty-gateway.ts';
import { answers, type Fault, RULE, reply } from './support/faulty-platform.ts';

const rule = (name: string) => `{ rule(component: "${name}", version: "1") { name } }`;
const start = (name: string) => `mutation { startCase(input: { process: "${name}" }) { case { caseId } } }`;
const remove = (key: string) =>
  `mutation { deleteInstance(input: { formId: "bad", instanceId: "1", idempotencyKey: "${key}" }) { deletedId } }`;
const many = (count: number) => Array.from({ length: count }, (_, index) => index);
describe('a platform whose request limit is exceeded', () => {
  const limit = answers(403, '{"errorCode":"REQUEST_LIMIT_EXCEEDED"}', 'Retry-After: 30');

  it('is not called by anybody; reads and writes fail with the time to wait', async () => {
    const { execute, requests, signedIn } = await startFaultyGateway(limit);
    await execute(rule('bad'));

    const refused = await Promise.all([execute(rule('good')), execute(rule('bad')), execute(start('good'))]);

    expect(refused.map(codeOf)).toEqual(['RATE_LIMITED', 'RATE_LIMITED', 'RATE_LIMITED']);
    for (const { errors } of refused) {
      const { retryAfterMs, retryable } = errors?.[0]?.extensions ?? {};
      expect(retryable).toBe(true);
      expect(retryAfterMs).toBeGreaterThan(20_000);
      expect(retryAfterMs).toBeLessThanOrEqual(30_000);
    }
    expect([requests.length, signedIn.length]).toEqual([1, 1]);
  });
});

describe('every status', () => {
  it.each(
    many(6)
      .map((index) => ({ from: index * 100 + 400 }))
      .filter(({ from }) => from < 600 || from === 900),
  )('from $from has its own error code or that of its class, after one write call', async ({ from }) => {
    const statuses = from === 900 ? [999] : many(100).map((index) => from + index);
    const fault: Fault = (socket, { body }) => reply(socket, Number(/bad(\d+)/.exec(body)?.[1]));
    const { execute, badly } = await startFaultyGateway(fault, shortPause());
    const got = new Map<number, unknown>();

    for (const status of statuses) {
      got.set(status, codeOf(await execute(start(`bad${status}`))));
    }

    const expected = (status: number) => CODES[status] ?? (status < 500 ? 'BAD_USER_INPUT' : 'UPSTREAM_ERROR');
    expect([...got]).toEqual(statuses.map((status) => [status, expected(status)]));
    // A 401 alone is answered by a second call, with a new token.
    expect(badly()).toHaveLength(statuses.length + (from === 400 ? 1 : 0));
  });
  const CODES: Readonly<Record<number, string>> = {
    401: 'UPSTREAM_UNAUTHENTICATED',
    403: 'FORBIDDEN',
    404: 'NOT_FOUND',
    408: 'OUTCOME_UNKNOWN',
    429: 'RATE_LIMITED',
  };
});

describe('a 404', () => {
  it('is null for a single read, and an error for a list', async () => {
    const { execute } = await startFaultyGateway(answers(404));

    const form = await execute('{ form(formId: "bad") { name } }');
    const list = await execute('{ instances(formId: "bad") { nodes { id } } }');

    expect(form).toMatchObject({ data: { form: null } });
    expect(form.errors).toBeUndefined();
    expect(codeOf(list)).toBe('NOT_FOUND');
  });
});

describe('a Retry-After beyond the request’s deadline', () => {
  it.each([
    ['2', 2_000],
    ['86400', 60_000],
  ])('of %s s is passed on as %d ms', async (seconds, retryAfterMs) => {
    const { execute } = await startFaultyGateway(answers(503, '', `Retry-After: ${seconds}`));

    const { errors } = await execute(rule('bad'));

    expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_ERROR', retryAfterMs });
  });
});

describe('an accepted write', () => {
  it.each([
    [
      '204 with a body',
      'deleteInstance(input: { formId: "bad", instanceId: "1" }) { deletedId }',
      'HTTP/1.1 204 No Content\r\n\r\n',
    ],
    [
      '202 with nothing',
      'updateInstance(input: { formId: "bad", instanceId: "1", values: {} }) { __typename }',
      'HTTP/1.1 202 A\r\nContent-Length: 0\r\n\r\n',
    ],
    [
      '202 with no JSON',
      'replaceInstance(input: { formId: "bad", instanceId: "1", values: {} }) { __typename }',
      `HTTP/1.1 202 A\r\nContent-Length: ${RULE.length}\r\n\r\n${RULE.replace('{', '<')}`,
    ],
  ])('is confirmed by %s', async (_what, mutation, bytes) => {
    const { execute, badly } = await startFaultyGateway((socket) => socket.write(bytes));

    const answer = await execute(`mutation { ${mutation} }`);

    expect(answer.errors).toBeUndefined();
    expect(badly()).toHaveLength(1);
  });

  it('with a lost response is sent once, also when its client repeats it with the same key', async () => {
    const { execute, badly } = await startFaultyGateway((socket) => socket.destroy());

    const codes = [await execute(remove('k')), await execute(remove('k'))].map(codeOf);

    expect(codes).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
    expect(badly()).toHaveLength(1);
  });
});
