import { describe, expect, it } from 'vitest';

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
  it.each<{ does: string; issue: Fault; code: string; calls: number }>([
    { does: 'fails', issue: answers(500, CANARY.body), code: 'UPSTREAM_ERROR', calls: 2 },
    { does: 'hangs', issue: () => undefined, code: 'UPSTREAM_TIMEOUT', calls: 2 },
    { does: 'closes', issue: (socket) => socket.destroy(), code: 'UPSTREAM_UNAVAILABLE', calls: 2 },
    {
      does: 'says 400',
      issue: answers(400, CANARY.body),
      code: 'UPSTREAM_UNAUTHENTICATED',
      calls: 1,
    },
    { does: 'says 401', issue: answers(401), code: 'UPSTREAM_UNAUTHENTICATED', calls: 1 },
    { does: 'says 404', issue: answers(404), code: 'UPSTREAM_ERROR', calls: 1 },
    { does: 'says 422', issue: answers(422, CANARY.body), code: 'UPSTREAM_ERROR', calls: 1 },
    {
      does: 'gives no JSON',
      issue: answers(200, `<${CANARY.token}`),
      code: 'UPSTREAM_INVALID_RESPONSE',
      calls: 2,
    },
  ])(
    'that $does fails ten requests with $code in $calls calls, and serves them after it recovers',
    async ({ does, issue, code, calls }) => {
      const deadlines = does === 'hangs' ? {} : PATIENT;
      const { execute, requests, signedIn, heal } = await startFaultyGateway(
        answerWell,
        deadlines,
        issue,
      );

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
      return [answered.map(codeOf).filter(Boolean), signedIn.length];
    };

    expect(await readAll('good')).toEqual([[], 1]);
    expect(await readAll('bad')).toEqual([[], 2]);
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
    const first = fetch(`${gatewayUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: rule('left') }),
      signal: leaver.signal,
    });
    await requests.promise;

    const second = execute(rule('good'));
    leaver.abort();
    await expect(first).rejects.toThrow();
    released.resolve();

    expect((await second).errors).toBeUndefined();
    expect(signedIn).toHaveLength(1);
  });

  it.each([
    { status: 404, code: undefined },
    { status: 422, code: undefined },
    { status: 400, code: 'UPSTREAM_UNAUTHENTICATED' },
    { status: 403, code: 'UPSTREAM_UNAUTHENTICATED' },
  ])(
    'that answers a renewal with $status keeps stale copies available, unless it refused the credentials',
    async ({ status, code }) => {
      const read: Fault = (socket, { count }) =>
        count === 1 ? reply(socket, 200, '{"idInstance":1,"values":{"n":1}}') : reply(socket, 401);
      const issue: Fault = (socket, arrived) =>
        arrived.count === 1 ? issueToken(socket, arrived) : reply(socket, status);
      const { execute } = await startFaultyGateway(
        read,
        { ...PATIENT, STALE_IF_ERROR_MS: '600000' },
        issue,
      );
      const look = '{ instance(formId: "bad", instanceId: 1) { value(field: "n") } }';
      await execute(look);

      const answer = await execute(look);

      expect([answer.data, codeOf(answer)]).toEqual([
        { instance: code ? null : { value: 1 } },
        code,
      ]);
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

    const answer = await execute(rule('good'));

    expect(answer.errors).toBeUndefined();
    expect(requests.map(({ head }) => /^authorization: (.*)$/im.exec(head)?.[1])).toEqual([
      CANARY.token,
    ]);
    expect(requests.filter(({ head }) => /^cookie:/im.test(head))).toEqual([]);
  });
});
