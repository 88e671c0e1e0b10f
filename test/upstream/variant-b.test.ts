import { describe, expect, it } from 'vitest';

import { startServer, valuesOf } from './support/http-server.ts';
import { CREDENTIALS, dialectOf, failureOf, openFactory, openPlatform } from './support/open.ts';
import { ANSWER, CALL_ROWS } from './support/operations.ts';

describe('variant B', () => {
  it('gets its token with Basic credentials and a form-encoded grant_type', async () => {
    const { upstream, signedIn } = await openPlatform(ANSWER);

    await upstream.authenticate();

    const [request] = signedIn;
    expect(request).toMatchObject({ method: 'POST', target: '/v1.0/token', body: 'grant_type=client_credentials' });
    expect(request && ['authorization', 'accept', 'content-type'].map((name) => valuesOf(request, name))).toEqual([
      ['Basic YW5uOnNlY3JldA=='],
      ['application/json'],
      ['application/x-www-form-urlencoded'],
    ]);
  });

  it.each(CALL_ROWS)(
    'sends Bearer, Accept, and Content-Type only with a body, on %s, a %s',
    async (_name, _method, { hasBody, call }) => {
      const { upstream, requests } = await openPlatform(ANSWER);

      await call(upstream);

      const sent = requests.map((received) => ({
        authorization: valuesOf(received, 'authorization'),
        accept: valuesOf(received, 'accept'),
        contentType: valuesOf(received, 'content-type'),
        hasBody: received.body !== '',
      }));
      const json = ['application/json'];
      const contentType = hasBody ? json : [];
      expect(sent).toEqual([{ authorization: ['Bearer token-1'], accept: json, contentType, hasBody }]);
    },
  );

  it('encodes a user name and a password beyond ASCII as UTF-8', async () => {
    const { url, received } = await startServer(() => ({ status: 200, body: { token: 't' } }));

    const dialect = dialectOf({ token: { grantType: 'a b&c' } });
    await openFactory(url, { dialect }).signIn({ ...CREDENTIALS.B, username: 'zoë', password: 'pä:ss' });

    const basic = received.flatMap((request) => valuesOf(request, 'authorization'))[0]?.replace('Basic ', '') ?? '';
    expect(Buffer.from(basic, 'base64').toString()).toBe('zoë:pä:ss');
    expect(received[0]?.body).toBe('grant_type=a+b%26c');
  });

  it('gets its token from another host, at a URL that ends in oauth', async () => {
    const issuer = await startServer(() => ({ status: 200, body: { access_token: 't' } }));
    const platform = await startServer(() => ({ status: 404 }));

    const token = await openFactory(platform.url, { tokenUrl: `${issuer.url}/auth/oauth` }).signIn(CREDENTIALS.B);

    expect(token.authorization).toBe('Bearer t');
    expect(issuer.received.map(({ method, target }) => `${method} ${target}`)).toEqual(['POST /auth/oauth']);
    expect(platform.received).toEqual([]);
  });

  it.each([
    { what: 'no body', body: undefined },
    { what: 'a page of HTML', body: '<html>' },
    { what: 'no token', body: { expires_in: 60 } },
    { what: 'an empty token', body: { access_token: '' } },
    { what: 'a token with a line break', body: { access_token: 'a\r\nx-admin: 1' } },
    { what: 'a token with spaces around it', body: { access_token: ' a ' } },
    { what: 'a token that is an object', body: { access_token: {} } },
  ])('treats a 200 with $what as malformed', async ({ body }) => {
    const { upstream } = await openPlatform(ANSWER, { issue: () => ({ status: 200, body }) });

    expect(await failureOf(upstream.authenticate())).toMatchObject({ failure: 'malformed', operation: 'getToken' });
  });

  it.each([
    { status: 500, failure: 'failed' },
    { status: 302, failure: 'malformed' },
  ])('treats getToken as $failure when it responds with $status', async ({ status, failure }) => {
    const { upstream } = await openPlatform(ANSWER, { issue: () => ({ status }) });

    expect(await failureOf(upstream.authenticate())).toMatchObject({ failure, operation: 'getToken', status });
    // The write that needed it was not sent, so its outcome is known.
    expect(await failureOf(upstream.cases.start('p', {}))).toMatchObject({ failure, operation: 'getToken' });
  });

  it('treats REQUEST_LIMIT_EXCEEDED on getToken as rate-limited', async () => {
    const body = { message: 'slow down', errorCode: 'REQUEST_LIMIT_EXCEEDED' };
    const { upstream } = await openPlatform(ANSWER, { issue: () => ({ status: 403, body }) });

    expect(await failureOf(upstream.authenticate())).toMatchObject({ failure: 'rate-limited', operation: 'getToken' });
  });
});
