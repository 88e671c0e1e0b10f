import { describe, expect, it } from 'vitest';

import { openSandbox, type SandboxRequest, sendRaw, tokenRequest } from './support.ts';

describe('getToken', () => {
  it('responds to variant A with 201, the token and the six other headers of the interface', async () => {
    const { origin, send } = await openSandbox();
    const body = '{"username":"demo","password":"demo"}';
    const request = `POST /v1.0/token HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

    const [head = '', ...rest] = (await sendRaw(origin, request)).split('\r\n\r\n');
    const [status, ...lines] = head.split('\r\n');
    const [, authorization = ''] = /^authorization: (.*)$/im.exec(head) ?? [];
    const read = await send({ method: 'GET', path: '/forms', headers: { authorization } });

    expect([status, rest, read.status]).toEqual(['HTTP/1.1 201 Created', [''], 200]);
    const names = lines.map((line) => line.split(':')[0]?.toLowerCase());
    for (const name of ['date', 'content-length', 'connection', 'set-cookie', 'server'])
      expect(names).toContain(name);
  });

  it('responds to variant B with 200 and Token200, also for the grant type "password"', async () => {
    const { send } = await openSandbox();
    const { status, body } = await send(tokenRequest('B'));
    const ofPassword = await send({ ...tokenRequest('B'), body: 'grant_type=password' });

    expect([status, ofPassword.status]).toEqual([200, 200]);
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
    });
  });

  describe.each([
    ['A', 201],
    ['B', 200],
  ] as const)('in variant %s', (variant, success) => {
    // It has no 404, since its path has no id, and no 500: nothing of it can fail on its own. It
    // reads nothing, so no 304.
    it('is at /oauth as well, and ignores If-Modified-Since', async () => {
      const { send, clock } = await openSandbox();
      const { headers, ...request } = tokenRequest(variant, { path: '//oauth' });
      const since = new Date(clock.nowMs + 60_000).toUTCString();

      const { status } = await send({
        ...request,
        headers: { ...headers, 'if-modified-since': since },
      });

      expect(status).toBe(success);
    });

    it('counts towards the request limit', async () => {
      const { send, clock } = await openSandbox({ requestLimit: 2 });
      const requestToken = () => send(tokenRequest(variant));
      await requestToken();
      await requestToken();

      expect((await requestToken()).body.errorCode).toBe('REQUEST_LIMIT_EXCEEDED');
      clock.nowMs += 60_000;
      expect((await requestToken()).status).toBe(success);
    });
  });

  const ofA = tokenRequest('A');
  const ofB = tokenRequest('B');
  const isWrong = { password: 'wrong' };
  const isLocked = { username: 'locked' };
  it.each<[string, SandboxRequest, number, string]>([
    ['a wrong password in variant A', tokenRequest('A', isWrong), 401, 'INVALID_CREDENTIALS'],
    ['no password', { ...ofA, body: { username: 'demo' } }, 401, 'INVALID_CREDENTIALS'],
    ['a body that is not JSON', { ...ofA, body: '{"username":' }, 400, 'MALFORMED_BODY'],
    ['no body', { ...ofA, headers: {}, body: '' }, 400, 'BODY_REQUIRED'],
    ['a wrong password in variant B', tokenRequest('B', isWrong), 400, 'INVALID_CREDENTIALS'],
    ['no grant type', { ...ofB, body: 'scope=all' }, 400, 'INVALID_GRANT_TYPE'],
    ['an unknown grant type', { ...ofB, body: 'grant_type=magic' }, 400, 'INVALID_GRANT_TYPE'],
    ['a locked user in variant A', tokenRequest('A', isLocked), 403, 'USER_LOCKED'],
    ['a locked user in variant B', tokenRequest('B', isLocked), 403, 'USER_LOCKED'],
    [
      'an unknown user in variant A',
      tokenRequest('A', { username: 'nobody' }),
      401,
      'INVALID_CREDENTIALS',
    ],
  ])('rejects %s', async (_what, request, status, errorCode) => {
    const { send } = await openSandbox();
    const answer = await send(request);

    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ message: expect.any(String), errorCode });
  });

  it('limits each user separately', async () => {
    const { as } = await openSandbox({ requestLimit: 2 });
    const [demo, reader] = [await as('demo'), await as('reader')];
    await demo('GET', '/forms');

    expect((await demo('GET', '/forms')).status).toBe(403);
    expect((await reader('GET', '/forms')).status).toBe(200);
  });

  it('issues tokens with the lifetime of the sandbox or of the user, whichever is shorter', async () => {
    const { send } = await openSandbox({ tokenLifetimeMs: 60_000 });

    expect((await send(tokenRequest('B'))).body.expires_in).toBe(60);
    expect((await send(tokenRequest('B', { username: 'brief' }))).body.expires_in).toBe(2);
  });
});
