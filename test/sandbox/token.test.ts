import { describe, expect, it } from 'vitest';

import { openSandbox, type SandboxRequest, sendRaw, tokenRequest } from './support.ts';

describe('getToken', () => {
  it('responds to variant A with 201, the token and the six other headers of the interface', async () => {
    const { origin, send } = await openSandbox();

    const body = '{"username":"demo","password":"demo"}';
    const asked = `POST /v1.0/token HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}`;
    const [head = '', ...rest] = (await sendRaw(origin, `${asked}\r\n\r\n${body}`)).split(
      '\r\n\r\n',
    );
    const [status, ...lines] = head.split('\r\n');
    const names = lines.map((line) => line.split(':')[0]?.toLowerCase());

    expect([status, rest]).toEqual(['HTTP/1.1 201 Created', ['']]);
    expect(names).toEqual(
      expect.arrayContaining([
        'date',
        'content-length',
        'connection',
        'set-cookie',
        'server',
        'authorization',
      ]),
    );
    const authorization = /^authorization: (.*)$/im.exec(head)?.[1] ?? '';
    expect((await send({ method: 'GET', path: '/forms', headers: { authorization } })).status).toBe(
      200,
    );
  });

  it('responds to variant B with 200 and Token200', async () => {
    const { send } = await openSandbox();
    const { status, body } = await send(tokenRequest('B'));
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
    });
  });

  it.each(['A', 'B'] as const)('is at /oauth as well, in variant %s', async (variant) => {
    const { send } = await openSandbox();
    expect((await send(tokenRequest(variant, { path: '//oauth' }))).status).toBe(
      variant === 'A' ? 201 : 200,
    );
  });

  // It has no 404, since its path has no id, and no 500: nothing of it can fail on its own. It
  // reads nothing, so no 304.
  it.each(['A', 'B'] as const)('ignores If-Modified-Since, in variant %s', async (variant) => {
    const { send, clock } = await openSandbox();
    const { headers, ...asked } = tokenRequest(variant);
    const conditional = {
      ...headers,
      'if-modified-since': new Date(clock.nowMs + 60_000).toUTCString(),
    };
    expect((await send({ ...asked, headers: conditional })).status).toBe(
      variant === 'A' ? 201 : 200,
    );
  });

  it('accepts the grant type "password" as well, in variant B', async () => {
    const { send } = await openSandbox();
    expect((await send({ ...tokenRequest('B'), body: 'grant_type=password' })).status).toBe(200);
  });

  const withoutType: SandboxRequest = { ...tokenRequest('A'), headers: {} };
  it.each<[string, SandboxRequest, number, string]>([
    [
      'a wrong password in variant A',
      tokenRequest('A', { password: 'wrong' }),
      401,
      'INVALID_CREDENTIALS',
    ],
    [
      'an unknown user in variant A',
      tokenRequest('A', { username: 'nobody' }),
      401,
      'INVALID_CREDENTIALS',
    ],
    [
      'no password',
      { ...tokenRequest('A'), body: { username: 'demo' } },
      401,
      'INVALID_CREDENTIALS',
    ],
    ['a body that is not JSON', { ...withoutType, body: '{"username":' }, 400, 'MALFORMED_BODY'],
    ['no body', { ...withoutType, body: '' }, 400, 'BODY_REQUIRED'],
    [
      'a wrong password in variant B',
      tokenRequest('B', { password: 'wrong' }),
      400,
      'INVALID_CREDENTIALS',
    ],
    ['no grant type', { ...tokenRequest('B'), body: 'scope=all' }, 400, 'INVALID_GRANT_TYPE'],
    [
      'an unknown grant type',
      { ...tokenRequest('B'), body: 'grant_type=magic' },
      400,
      'INVALID_GRANT_TYPE',
    ],
    ['a locked user in variant A', tokenRequest('A', { username: 'locked' }), 403, 'USER_LOCKED'],
    ['a locked user in variant B', tokenRequest('B', { username: 'locked' }), 403, 'USER_LOCKED'],
  ])('rejects %s', async (_what, asked, status, errorCode) => {
    const { send } = await openSandbox();
    const answer = await send(asked);
    expect([answer.status, answer.body]).toEqual([
      status,
      { message: expect.any(String), errorCode },
    ]);
  });

  it.each(['A', 'B'] as const)(
    'counts towards the request limit, in variant %s',
    async (variant) => {
      const { send, clock } = await openSandbox({ requestLimit: 2 });
      await send(tokenRequest(variant));
      await send(tokenRequest(variant));
      expect((await send(tokenRequest(variant))).body).toMatchObject({
        errorCode: 'REQUEST_LIMIT_EXCEEDED',
      });

      clock.nowMs += 60_000;
      expect((await send(tokenRequest(variant))).status).toBeLessThan(300);
    },
  );

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
