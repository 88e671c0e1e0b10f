import { describe, expect, it } from 'vitest';

import type { Env } from '../support/gateway.ts';
import {
  codeOf,
  many,
  PATIENT,
  READ,
  rule,
  setAhead,
  startFaultyGateway,
} from './support/faulty-gateway.ts';
import {
  answers,
  answerWell,
  CANARY,
  type Fault,
  issueToken,
  reply,
} from './support/faulty-platform.ts';

/** No issuer that recovers is left alone for longer. */
const LONGEST_PAUSE_MS = 5_000;
const TEN_RULES = `{ ${many(10)
  .map((index) => `r${index}: rule(component: "r${index}", version: "1") { name }`)
  .join(' ')} }`;

describe('a token issuer', () => {
  it.each<[string, issue: Fault, code: string, calls: number, deadlines?: Env]>([
    ['fails', answers(500, CANARY.body), 'UPSTREAM_ERROR', 2],
    ['hangs', () => undefined, 'UPSTREAM_TIMEOUT', 2, {}],
    ['closes', (socket) => socket.destroy(), 'UPSTREAM_UNAVAILABLE', 2],
    ['says 400', answers(400, CANARY.body), 'UPSTREAM_UNAUTHENTICATED', 1],
    ['says 401', answers(401), 'UPSTREAM_UNAUTHENTICATED', 1],
    ['says 404', answers(404), 'UPSTREAM_ERROR', 1],
    ['says 422', answers(422, CANARY.body), 'UPSTREAM_ERROR', 1],
    ['gives no JSON', answers(200, `<${CANARY.token}`), 'UPSTREAM_INVALID_RESPONSE', 2],
  ])(
    'that %s fails ten requests in a few calls, and serves them after it recovers',
    async (_does, issue, code, calls, deadlines = PATIENT) => {
      const platform = await startFaultyGateway(answerWell, deadlines, issue);
      const { execute, requests, signedIn, heal } = platform;

      const { errors = [] } = await execute(TEN_RULES);
      const counted = signedIn.length;
      heal();
      setAhead(LONGEST_PAUSE_MS);

      expect(errors.map(({ extensions }) => extensions['code'])).toEqual(Array(10).fill(code));
      expect([counted, requests.length]).toEqual([calls, 0]);
      expect(codeOf(await execute(rule('good')))).toBeUndefined();
    },
  );

  it('is called once for a hundred concurrent requests, and a second time after the platform has refused the token to all', async () => {
    const refusing: Fault = (socket, arrived) =>
      arrived.head.includes(`${CANARY.token}-1`) ? reply(socket, 401) : answerWell(socket, arrived);
    const { execute, signedIn } = await startFaultyGateway(refusing, PATIENT);
    const readAll = async (name: string) => {
      const answered = await Promise.all(
        many(100).map((index) => execute(rule(`${name}${index}`))),
      );
      expect(new Set(answered.map(codeOf))).toEqual(new Set([undefined]));
    };

    await readAll('good');
    expect(signedIn).toHaveLength(1);
    await readAll('bad');
    expect(signedIn).toHaveLength(2);
  });

  it('is called twice where the platform refuses every token, however many requests arrive', async () => {
    const { execute, signedIn } = await startFaultyGateway(answers(401), PATIENT);
    const startedMs = performance.now();
    await execute(READ);

    const codes = await Promise.all(
      many(50).map((index) => execute(rule(`bad${index}`)).then(codeOf)),
    );

    // A token that was refused is taken to be refused for a second at least; a busy machine may
    // need longer.
    const seconds = Math.floor((performance.now() - startedMs) / 1_000);
    expect(new Set(codes)).toEqual(new Set(['UPSTREAM_UNAUTHENTICATED']));
    expect(signedIn.length).toBeGreaterThanOrEqual(2);
    expect(signedIn.length).toBeLessThanOrEqual(2 + seconds);
  });

  it('is still awaited when the first request is cancelled', async () => {
    const requests = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const issue: Fault = async (socket, arrived) => {
      requests.resolve();
      await released.promise;
      issueToken(socket, arrived);
    };
    const { execute, gatewayUrl, signedIn } = await startFaultyGateway(answerWell, PATIENT, issue);
    const leaver = new AbortController();
    const address = `${gatewayUrl}/graphql?${new URLSearchParams({ query: rule('left') })}`;
    const headers = { 'x-csrf': '1' };
    const first = fetch(address, { headers, signal: leaver.signal });
    await requests.promise;

    const second = execute(rule('good'));
    leaver.abort();
    await expect(first).rejects.toThrow();
    released.resolve();

    expect((await second).errors).toBeUndefined();
    expect(signedIn).toHaveLength(1);
  });

  it.each([
    [404, { instance: { value: 1 } }, undefined],
    [422, { instance: { value: 1 } }, undefined],
    [400, { instance: null }, 'UPSTREAM_UNAUTHENTICATED'],
    [403, { instance: null }, 'UPSTREAM_UNAUTHENTICATED'],
  ])(
    'that answers a renewal with %i keeps stale copies available, unless it refused the credentials',
    async (status, data, code) => {
      const read: Fault = (socket, { count }) =>
        count === 1 ? reply(socket, 200, '{"idInstance":1,"values":{"n":1}}') : reply(socket, 401);
      const issue: Fault = (socket, arrived) =>
        arrived.count === 1 ? issueToken(socket, arrived) : reply(socket, status);
      const env = { ...PATIENT, STALE_IF_ERROR_MS: '600000' };
      const { execute } = await startFaultyGateway(read, env, issue);
      const query = '{ instance(formId: "bad", instanceId: 1) { value(field: "n") } }';
      await execute(query);

      const answer = await execute(query);

      expect(answer.data).toEqual(data);
      expect(codeOf(answer)).toBe(code);
    },
  );

  it('that sets a cookie never receives it', async () => {
    const issue: Fault = (socket) =>
      reply(socket, 201, '', `Authorization: ${CANARY.token}`, 'Set-Cookie: session=1');
    const credentials = {
      UPSTREAM_AUTH: 'credentials',
      UPSTREAM_CREDENTIALS: `{"password":"${CANARY.password}"}`,
    };
    const { execute, requests } = await startFaultyGateway(answerWell, credentials, issue);

    expect((await execute(rule('good'))).errors).toBeUndefined();

    expect(requests).toHaveLength(1);
    expect(requests[0]?.head).toMatch(new RegExp(`^authorization: ${CANARY.token}$`, 'im'));
    expect(requests[0]?.head).not.toMatch(/^cookie:/im);
  });
});
