import { describe, expect, it } from 'vitest';

import { startCase } from '../../src/upstream/resources/cases.ts';
import {
  ANSWER,
  CALL_ROWS,
  CREDENTIALS,
  dialectOf,
  failureOf,
  openFactory,
  openPlatform,
  type Received,
  startServer,
} from './support/open.ts';

const JSON_TYPE = ['application/json'];
const headersOf = ({ headers }: Received) => ({
  authorization: headers['authorization'] ?? [],
  accept: headers['accept'],
  contentType: headers['content-type'] ?? [],
});

it.each(['A', 'B'] as const)(
  'variant %s sends its token, Accept and Content-Type with each operation',
  async (variant) => {
    const token = variant === 'A' ? 'Session  a;b="c"' : 'Bearer token-1';
    const options = variant === 'A' && {
      issue: () => ({ status: 201, headers: { authorization: token } }),
    };
    const { upstream, requests } = await openPlatform(ANSWER, { variant, ...options });

    for (const [, , { call }] of CALL_ROWS) await call(upstream);

    const seen = requests.map((request) => ({
      method: request.method,
      hasBody: request.body !== '',
      ...headersOf(request),
    }));
    const expected = CALL_ROWS.map(([, method, { hasBody }]) => ({
      method,
      hasBody,
      authorization: [token],
      accept: JSON_TYPE,
      contentType: variant === 'A' || hasBody ? JSON_TYPE : [],
    }));
    expect(seen).toEqual(expected);
  },
);

describe('variant A', () => {
  it('posts the credentials to getToken without an Authorization header', async () => {
    const { upstream, signedIn } = await openPlatform(ANSWER, { variant: 'A' });

    await upstream.authenticate();

    expect(signedIn).toMatchObject([{ method: 'POST', target: '/v1.0/token' }]);
    expect(signedIn.map(({ body }) => JSON.parse(body))).toEqual([CREDENTIALS.A.body]);
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
  it('gets its token with Basic credentials, as UTF-8, and a form-encoded grant_type', async () => {
    const { url, received } = await startServer(() => ({ status: 200, body: { token: 't' } }));
    const dialect = dialectOf({ token: { grantType: 'a b&c' } });

    await openFactory(url).signIn(CREDENTIALS.B);
    await openFactory(url, { dialect }).signIn({
      ...CREDENTIALS.B,
      username: 'zoë',
      password: 'pä:ss',
    });

    expect(received).toMatchObject([
      { method: 'POST', target: '/v1.0/token', body: 'grant_type=client_credentials' },
      { method: 'POST', target: '/v1.0/token', body: 'grant_type=a+b%26c' },
    ]);
    expect(received.map(headersOf)).toEqual(
      ['ann:secret', 'zoë:pä:ss'].map((pair) => ({
        authorization: [`Basic ${Buffer.from(pair).toString('base64')}`],
        accept: JSON_TYPE,
        contentType: ['application/x-www-form-urlencoded'],
      })),
    );
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
    undefined,
    '<html>',
    { expires_in: 60 },
    { access_token: '' },
    { access_token: 'a\r\nx-admin: 1' },
    { access_token: ' a ' },
    { access_token: {} },
  ])('treats a 200 with the body %j as malformed', async (body) => {
    const { upstream } = await openPlatform(ANSWER, { issue: () => ({ status: 200, body }) });

    expect(await failureOf(upstream.authenticate())).toMatchObject({
      failure: 'malformed',
      operation: 'getToken',
    });
  });

  it.each([
    ['failed', { status: 500 }],
    ['malformed', { status: 302 }],
    ['rate-limited', { status: 403, body: { errorCode: 'REQUEST_LIMIT_EXCEEDED' } }],
  ])('treats getToken as %s when it responds with %j', async (failure, reply) => {
    const { upstream } = await openPlatform(ANSWER, { issue: () => reply });
    const expected = { failure, operation: 'getToken' };

    const error = await failureOf(upstream.authenticate());
    const write = await failureOf(upstream.change(startCase, { process: 'p' }));

    expect(error).toMatchObject({ ...expected, status: reply.status });
    // The write was not sent without a token, so its outcome is known.
    expect(write).toMatchObject(expected);
  });
});
