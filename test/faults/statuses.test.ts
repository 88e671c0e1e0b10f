import { expect, it } from 'vitest';

import { executeAs } from '../identity/support.ts';
import {
  codeOf,
  many,
  rule,
  shortPause,
  start,
  startFaultyGateway,
} from './support/faulty-gateway.ts';
import { type Arrived, answers, type Fault, RULE, reply } from './support/faulty-platform.ts';

it('a platform whose request limit is exceeded is not called by anybody; reads and writes fail with the time to wait', async () => {
  const limit = answers(403, '{"errorCode":"REQUEST_LIMIT_EXCEEDED"}', 'Retry-After: 30');
  const { execute, requests, signedIn } = await startFaultyGateway(limit);
  await execute(rule('bad'));

  const refused = [
    await execute(rule('good')),
    await execute(rule('bad')),
    await execute(start('good')),
  ];

  for (const { errors } of refused) {
    const { code, retryAfterMs, retryable } = errors?.[0]?.extensions ?? {};
    expect([code, retryable]).toEqual(['RATE_LIMITED', true]);
    expect(retryAfterMs).toBeGreaterThan(20_000);
    expect(retryAfterMs).toBeLessThanOrEqual(30_000);
  }
  expect([requests.length, signedIn.length]).toEqual([1, 1]);
});

it('every status from 400 on has its own error code or its class’s, after one call of a write', async () => {
  const codes: Readonly<Record<number, string>> = {
    401: 'UPSTREAM_UNAUTHENTICATED',
    403: 'FORBIDDEN',
    404: 'NOT_FOUND',
    410: 'NOT_FOUND',
    429: 'RATE_LIMITED',
  };
  const unknown = new Set([408, 502, 504, 520, 521, 522, 523, 524]);
  const statuses = [...many(200).map((index) => 400 + index), 999];
  const fault: Fault = (socket, { body }) => reply(socket, Number(/bad(\d+)/.exec(body)?.[1]));
  const { execute, badly } = await startFaultyGateway(fault, shortPause());

  for (const status of statuses) {
    const ofClass = status < 500 ? 'BAD_USER_INPUT' : 'UPSTREAM_ERROR';
    const expected = unknown.has(status) ? 'OUTCOME_UNKNOWN' : (codes[status] ?? ofClass);
    const code = codeOf(await execute(start(`bad${status}`)));
    expect([status, code]).toEqual([status, expected]);
  }
  // Only a 401 is answered by a second call, with a new token.
  expect(badly()).toHaveLength(statuses.length + 1);
});

it('a 404 is an error for a list', async () => {
  const { execute } = await startFaultyGateway(answers(404));

  expect(codeOf(await execute('{ instances(formId: "bad") { nodes { id } } }'))).toBe('NOT_FOUND');
});

it('a Retry-After beyond the request’s deadline is passed on, up to a minute', async () => {
  const { execute } = await startFaultyGateway(answers(503, '', 'Retry-After: 86400'));

  const { errors } = await execute(rule('bad'));

  expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_ERROR', retryAfterMs: 60_000 });
});

it('a 304 confirms the copy of the same caller', async () => {
  const headerOf = (name: string, { head }: Arrived) =>
    new RegExp(`^${name}: (.*)\r`, 'im').exec(`${head}\r`)?.[1];
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toUTCString();
  const fault: Fault = (socket, arrived) => {
    if (headerOf('if-modified-since', arrived)) return reply(socket, 304);
    const body = JSON.stringify({
      idInstance: 1,
      values: { n: headerOf('authorization', arrived) },
    });
    reply(socket, 200, body, `Last-Modified: ${at(0)}`, `Date: ${at(10)}`);
  };
  const { gatewayUrl, badly } = await startFaultyGateway(fault, { IDENTITY: 'forward' });
  const query = '{ instance(formId: "bad", instanceId: 1) { value(field: "n") } }';

  // The gateway keeps a copy from the second read on.
  for (const authorization of ['ann', 'bob', 'ann', 'bob', 'ann', 'bob']) {
    const { data } = await executeAs(gatewayUrl, query, { authorization });
    expect(data.instance.value).toBe(authorization);
  }

  const conditions = badly().map((arrived) => headerOf('if-modified-since', arrived));
  expect(conditions).toEqual([undefined, undefined, undefined, undefined, at(0), at(0)]);
});

it.each([
  ['204 with a body', 'delete', '', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['202 with nothing', 'update', ', values: {}', 'HTTP/1.1 202 A\r\nContent-Length: 0\r\n\r\n'],
  [
    '202 with no JSON',
    'replace',
    ', values: {}',
    `HTTP/1.1 202 A\r\nContent-Length: 3\r\n\r\n${RULE.slice(0, 3)}`,
  ],
])('an accepted write is confirmed by %s', async (_what, verb, values, bytes) => {
  const { execute, badly } = await startFaultyGateway((socket) => socket.write(bytes));

  const input = `{ formId: "bad", instanceId: "1"${values} }`;
  const answer = await execute(`mutation { ${verb}Instance(input: ${input}) { __typename } }`);

  expect(answer.errors).toBeUndefined();
  expect(badly()).toHaveLength(1);
});
