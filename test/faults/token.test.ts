import { describe, expect, it } from 'vitest';

import { codeOf, PATIENT, startFaultyGateway } from './support/faulty-gateway.ts';
import { answers, answerWell, CANARY, type Fault, issueToken, reply } from './support/faulty-platform.ts';

const WELL = '{ rule(component: "good", version: "1") { name } }';
const rule = (name: string) => `{ rule(component: "${name}", version: "1") { name } }`;
const many = (count: number) => Array.from({ length: count }, (_, index) => index);
const issues = (body: object): Fault => answers(200, JSON.stringify({ access_token: CANARY.token, ...body }));
const soundly = answerWell;
describe('a token issuer', () => {
  it.each([
    { does: 'fails', issue: answers(500, CANARY.body), code: 'UPSTREAM_ERROR', calls: 2 },
    { does: 'hangs', issue: () => undefined, code: 'UPSTREAM_TIMEOUT', calls: 2 },
    { does: 'closes', issue: (socket) => socket.destroy(), code: 'UPSTREAM_UNAVAILABLE', calls: 2 },
    { does: 'says 400', issue: answers(400, CANARY.body), code: 'UPSTREAM_UNAUTHENTICATED', calls: 1 },
    { does: 'says 401', issue: answers(401), code: 'UPSTREAM_UNAUTHENTICATED', calls: 1 },
    { does: 'says 404', issue: answers(404), code: 'UPSTREAM_ERROR', calls: 1 },
    { does: 'says 422', issue: answers(422, CANARY.body), code: 'UPSTREAM_ERROR', calls: 1 },
    {
      does: 'gives a token with line ends',
      issue: issues({ access_token: `${CANARY.token}\r\nX: y` }),
      code: 'UPSTREAM_INVALID_RESPONSE',
      calls: 2,
    },
    {
      does: 'gives a token of 20 KB',
      issue: issues({ access_token: CANARY.token.repeat(2_000) }),
      code: 'UPSTREAM_INVALID_RESPONSE',
      calls: 2,
    },
    {
      does: 'gives a token that is not ASCII',
      issue: issues({ access_token: `${CANARY.token}é` }),
      code: 'UPSTREAM_INVALID_RESPONSE',
      calls: 2,
    },
  ] satisfies { does: string; issue: Fault; code: string; calls: number }[])(
    'that $does fails ten requests with $code in $calls calls, and serves them after it recovers',
    async ({ does, issue, code, calls }) => {
      const { execute, requests, signedIn, heal } = await startFaultyGateway(
        soundly,
        does === 'hangs' ? {} : PATIENT,
        issue,
      );

      const { errors = [] } = await execute(
        `{ ${many(10)
          .map((index) => `r${index}: rule(component: "r${index}", version: "1") { name }`)
          .join(' ')} }`,
      );
      const codes = errors.map(({ extensions }) => extensions['code']);
      const counted = signedIn.length;
      heal();

      expect(codes).toEqual(Array(10).fill(code));
      expect([counted, requests.length]).toEqual([calls, 0]);
      await expect.poll(() => execute(WELL).then(codeOf)).toBeUndefined();
    },
  );

  it.each([
    ['nothing of its end', {}],
    ['0 seconds', { expires_in: 0 }],
    ['-5 seconds', { expires_in: -5 }],
    ['an end in the past', { expires_at: '2001-01-01T00:00:00Z' }],
    ['a century', { expires_in: 3_155_760_000 }],
    ['no date', { expires_at: 'soon' }],
  ])('that responds with %s yields a usable token', async (_what, body) => {
    const { execute, signedIn } = await startFaultyGateway(soundly, {}, issues(body));

    const codes = [await execute(rule('a')), await execute(rule('b')), await execute(rule('c'))].map(codeOf);

    expect(codes).toEqual([undefined, undefined, undefined]);
    expect(signedIn).toHaveLength(1);
  });

  it.each([-300_000, 300_000])('whose clock is %d ms off yields a usable token', async (offMs) => {
    const theirs = Date.now() + offMs;
    const issue: Fault = (socket) => {
      const body = JSON.stringify({ access_token: 'skewed', expires_at: new Date(theirs + 120_000).toISOString() });
      reply(socket, 200, body, `Date: ${new Date(theirs).toUTCString()}`);
    };
    const { execute, signedIn } = await startFaultyGateway(soundly, {}, issue);

    const codes = [await execute(rule('a')), await execute(rule('b'))].map(codeOf);

    expect(codes).toEqual([undefined, undefined]);
    expect(signedIn).toHaveLength(1);
  });

  it('is called once for 200 concurrent requests', async () => {
    const { execute, signedIn } = await startFaultyGateway(soundly, PATIENT);

    const answered = await Promise.all(many(200).map((index) => execute(rule(`r${index}`))));

    expect(answered.map(codeOf).filter(Boolean)).toEqual([]);
    expect(signedIn).toHaveLength(1);
  });

  it('is still awaited when the first request is cancelled', async () => {
    const requests = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const issue: Fault = async (socket, arrived) => {
      requests.resolve();
      await released.promise;
      issueToken(socket, arrived);
    };
    const { execute, gatewayUrl, signedIn } = await startFaultyGateway(soundly, PATIENT, issue);
    const leaver = new AbortController();
    const body = JSON.stringify({ query: rule('left') });
    const first = fetch(`${gatewayUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: leaver.signal,
    });
    await requests.promise;

    const second = execute(WELL);
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
      const { execute } = await startFaultyGateway(read, { ...PATIENT, STALE_IF_ERROR_MS: '600000' }, issue);
      const look = '{ instance(formId: "bad", instanceId: 1) { value(field: "n") } }';
      await execute(look);

      const answer = await execute(look);

      expect([answer.data, codeOf(answer)]).toEqual([{ instance: code ? null : { value: 1 } }, code]);
    },
  );

  it('that sets a cookie never receives it', async () => {
    const issue: Fault = (socket) => reply(socket, 201, '', `Authorization: ${CANARY.token}`, 'Set-Cookie: session=1');
    const credentials = { UPSTREAM_AUTH: 'credentials', UPSTREAM_CREDENTIALS: `{"password":"${CANARY.password}"}` };
    const { execute, requests } = await startFaultyGateway(soundly, credentials, issue);

    const answer = await execute(WELL);

    expect(answer.errors).toBeUndefined();
    expect(requests.map(({ head }) => /^authorization: (.*)$/im.exec(head)?.[1])).toEqual([CANARY.token]);
    expect(requests.filter(({ head }) => /^cookie:/im.test(head))).toEqual([]);
  });
});
