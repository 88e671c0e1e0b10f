import { describe, expect, it } from 'vitest';

import { startCase } from '../../src/upstream/resources/cases.ts';
import { type Received, startServer, valuesOf } from './support/http-server.ts';
import { CREDENTIALS, dialectOf, failureOf, openFactory, openPlatform } from './support/open.ts';
import { ANSWER, CALL_ROWS } from './support/operations.ts';

const JSON_TYPE = ['application/json'];
const headersOf = (received: Received) => ({
  authorization: valuesOf(received, 'authorization'),
  accept: valuesOf(received, 'accept'),
  contentType: valuesOf(received, 'content-type'),
});

describe('variant A', () => {
  it.each(CALL_ROWS)(
    'sends Accept and Content-Type on %s, a %s, and the token unchanged',
    async (_name, method, { call }) => {
      const authorization = 'Session  a;b="c"';
      const issue = () => ({ status: 201, headers: { authorization } });
      const { upstream, requests } = await openPlatform(ANSWER, { variant: 'A', issue });

      await call(upstream);

      expect(requests.map((request) => [request.method, headersOf(request)])).toEqual([
        [method, { authorization: [authorization], accept: JSON_TYPE, contentType: JSON_TYPE }],
      ]);
    },
  );

  it('posts the credentials to getToken without an Authorization header', async () => {
    const { upstream, signedIn } = await openPlatform(ANSWER, { variant: 'A' });

    await upstream.authenticate();

    expect(signedIn).toMatchObject([{ method: 'POST', target: '/v1.0/token' }]);
    expect(signedIn.map(({ body }) => JSON.parse(body))).toEqual([
      { username: 'ann', password: 'secret' },
    ]);
    expect(signedIn.map(headersOf)).toEqual([
      { authorization: [], accept: JSON_TYPE, contentType: JSON_TYPE },
    ]);
  });

  it('treats a 201 without a token as malformed', async () => {
    const issue = () => ({ status: 201, body: { token: 't' } });
    const { upstream } = await openPlatform(ANSWER, { variant: 'A', issue });

    expect(await failureOf(upstream.authenticate())).toMatchObject({
      failure: 'malformed',
      operation: 'getToken',
    });
  });
});

describe('variant B', () => {
  it.each(CALL_ROWS)(
    'sends Bearer, Accept, and Content-Type only with a body, on %s, a %s',
    async (_name, _method, { hasBody, call }) => {
      const { upstream, requests } = await openPlatform(ANSWER);

      await call(upstream);

      const contentType = hasBody ? JSON_TYPE : [];
      expect(requests.map((request) => [request.body !== '', headersOf(request)])).toEqual([
        [hasBody, { authorization: ['Bearer token-1'], accept: JSON_TYPE, contentType }],
      ]);
    },
  );

  it('gets its token with Basic credentials, as UTF-8, and a form-encoded grant_type', async () => {
    const { url, received } = await startServer(() => ({ status: 200, body: { token: 't' } }));
    const dialect = dialectOf({ token: { grantType: 'a b&c' } });

    await openFactory(url).signIn(CREDENTIALS.B);
    await openFactory(url, { dialect }).signIn({
      ...CREDENTIALS.B,
      username: 'zoë',
      password: 'pä:ss',
    });

    const basic = (pair: string) => [`Basic ${Buffer.from(pair).toString('base64')}`];
    const form = { accept: JSON_TYPE, contentType: ['application/x-www-form-urlencoded'] };
    expect(
      received.map((request) => [request.method, request.target, request.body, headersOf(request)]),
    ).toEqual([
      [
        'POST',
        '/v1.0/token',
        'grant_type=client_credentials',
        { authorization: basic('ann:secret'), ...form },
      ],
      ['POST', '/v1.0/token', 'grant_type=a+b%26c', { authorization: basic('zoë:pä:ss'), ...form }],
    ]);
  });

  it('gets its token from another host, at a URL that ends in oauth', async () => {
    const issuer = await startServer(() => ({ status: 200, body: { access_token: 't' } }));
    const platform = await startServer(() => ({ status: 404 }));

    const token = await openFactory(platform.url, { tokenUrl: `${issuer.url}/auth/oauth` }).signIn(
      CREDENTIALS.B,
    );

    expect(token.authorization).toBe('Bearer t');
    expect(issuer.received.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'POST /auth/oauth',
    ]);
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

    expect(await failureOf(upstream.authenticate())).toMatchObject({
      failure: 'malformed',
      operation: 'getToken',
    });
  });

  it.each([
    { reply: { status: 500 }, failure: 'failed' },
    { reply: { status: 302 }, failure: 'malformed' },
    {
      reply: { status: 403, body: { errorCode: 'REQUEST_LIMIT_EXCEEDED' } },
      failure: 'rate-limited',
    },
  ])('treats getToken as $failure when it responds with $reply', async ({ reply, failure }) => {
    const { upstream } = await openPlatform(ANSWER, { issue: () => reply });
    const { status } = reply;

    expect(await failureOf(upstream.authenticate())).toMatchObject({
      failure,
      operation: 'getToken',
      status,
    });
    // The write was not sent without a token, so its outcome is known.
    expect(await failureOf(upstream.change(startCase, { process: 'p' }))).toMatchObject({
      failure,
      operation: 'getToken',
    });
  });
});
