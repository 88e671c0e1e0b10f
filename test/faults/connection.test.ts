import { expect, it } from 'vitest';

import {
  codeOf,
  many,
  PATIENT,
  rule,
  start,
  startFaultyGateway,
} from './support/faulty-gateway.ts';
import {
  answers,
  answerWell,
  CANARY,
  type Fault,
  RULE,
  writes,
} from './support/faulty-platform.ts';

/**
 * Closes a connection when it brings its twentieth request, as a server does that had just given it
 * up.
 */
const closesIdle: Fault = (socket, arrived) =>
  arrived.onSocket >= 20 ? socket.resetAndDestroy() : answerWell(socket, arrived);

it('a kept-alive connection that the platform closes while it is reused fails no read, and never makes a write happen twice', async () => {
  const { execute, badly } = await startFaultyGateway(closesIdle);

  for (const index of many(60)) expect(codeOf(await execute(rule(`bad${index}`)))).toBeUndefined();
  for (const index of many(60)) await execute(start(`bad${index}!`));

  const written = badly().flatMap(({ method, body }) => (method === 'POST' ? body : []));
  expect(written).toHaveLength(60);
  expect(new Set(written).size).toBe(60);
});

it('extra bytes after a response are never taken for the next response', async () => {
  const smuggled = '{"name":"smuggled","parameters":[]}';
  // In one piece: bytes that arrive after the next request was sent cannot be distinguished from
  // its response.
  const twice = [RULE, smuggled].map(
    (body) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const { execute } = await startFaultyGateway(writes(twice.join('')));

  for (const name of ['bad', 'good', 'better'])
    expect((await execute(rule(name))).data).toEqual({ rule: { name: 'Rule' } });
});

it('an error response whose body is not read frees its connection for queued calls', async () => {
  const { execute } = await startFaultyGateway(
    answers(403, CANARY.body + 'x'.repeat(100_000)),
    PATIENT,
  );

  const codes = await Promise.all(
    many(150).map((index) => execute(rule(`bad${index}`)).then(codeOf)),
  );

  expect(new Set(codes)).toEqual(new Set(['FORBIDDEN']));
  expect((await execute(rule('good'))).errors).toBeUndefined();
});
