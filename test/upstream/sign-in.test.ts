import { describe, expect, it } from 'vitest';
import { steadyNow } from '../../src/core/request-state.ts';
import type { Token } from '../../src/upstream/token-provider.ts';
import { type Reply, startServer } from './support/http-server.ts';
import { CREDENTIALS, dialectOf, failureOf, openFactory } from './support/open.ts';

/** Signs in, with this response to `getToken`. */
async function issue(variant: 'A' | 'B', reply: Reply, file: unknown = {}): Promise<Token> {
  const { url } = await startServer(() => reply);
  return openFactory(url, { variant, dialect: dialectOf(file) }).signIn(CREDENTIALS[variant]);
}
const issueB = (body: object, headers: Reply['headers'] = {}, file: unknown = {}) =>
  issue('B', { status: 200, headers, body: { token: 'abc', ...body } }, file);
const issueA = (authorization: string) => issue('A', { status: 201, headers: { authorization } });

/** Returns the time until a token expires, in seconds. */
const lifetimeOf = ({ expiresAtMs }: Token) => (expiresAtMs - steadyNow()) / 1_000;
const inTenMinutes = () => new Date(Date.now() + 600_000);
const epochSeconds = (date: Date) => Math.floor(date.getTime() / 1_000);
const jwt = (claims: unknown) =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;

describe('Token200', () => {
  it.each(['access_token', 'accessToken', 'token'])('has its token under %s', async (name) => {
    const token = await issue('B', { status: 200, body: { [name]: 'abc' } });

    expect(token.authorization).toBe('Bearer abc');
  });

  it.each(['Bearer abc', 'bearer  abc'])(
    'is sent with one scheme if it is written as %s',
    async (value) => {
      expect((await issueB({ token: value })).authorization).toBe('Bearer abc');
    },
  );

  it.each(['data', 'result', 'd'])('may be in the envelope %s, with its lifetime', async (name) => {
    const body = { success: true, [name]: { access_token: 'abc', expires_in: 600 } };
    const token = await issue('B', { status: 200, body });

    expect(token.authorization).toBe('Bearer abc');
    expect(lifetimeOf(token)).toBeGreaterThan(590);
  });

  it('is taken before one in an envelope', async () => {
    const token = await issueB({ data: { token: 'another', expires_in: 5 }, expires_in: 600 });

    expect(token.authorization).toBe('Bearer abc');
    expect(lifetimeOf(token)).toBeGreaterThan(590);
  });

  it.each([
    { states: 'expires_in in seconds', body: () => ({ expires_in: 600 }), seconds: 600 },
    { states: 'expires_in as a text', body: () => ({ expires_in: '600' }), seconds: 600 },
    {
      states: 'an ISO date-time',
      body: () => ({ expires_at: inTenMinutes().toISOString() }),
      seconds: 600,
    },
    {
      states: 'an HTTP date',
      body: () => ({ expiration: inTenMinutes().toUTCString() }),
      seconds: 600,
    },
    {
      states: 'epoch seconds',
      body: () => ({ expiresAt: epochSeconds(inTenMinutes()) }),
      seconds: 600,
    },
    {
      states: 'epoch milliseconds',
      body: () => ({ expirationDate: inTenMinutes().getTime() }),
      seconds: 600,
    },
    { states: 'nothing', body: () => ({}), seconds: 60 },
    { states: 'garbage', body: () => ({ expires_in: 'soon' }), seconds: 60 },
    { states: 'a garbage date', body: () => ({ expires_at: 'tomorrow' }), seconds: 60 },
    { states: 'no lifetime at all', body: () => ({ expires_in: 0 }), seconds: 60 },
    { states: 'a negative lifetime', body: () => ({ expires_in: -5 }), seconds: 60 },
    {
      states: 'a past date-time',
      body: () => ({ expires_at: '2001-01-01T00:00:00Z' }),
      seconds: 60,
    },
    { states: 'a century', body: () => ({ expires_in: 3_155_760_000 }), seconds: 3_600 },
    { states: 'an absurd epoch', body: () => ({ expires_at: 1e300 }), seconds: 3_600 },
  ])('lives $seconds seconds when its response states $states', async ({ body, seconds }) => {
    const lifetime = lifetimeOf(await issueB(body()));

    expect(lifetime).toBeGreaterThan(seconds - 10);
    expect(lifetime).toBeLessThanOrEqual(seconds);
  });

  it.each([-300_000, 300_000])(
    'lives as long as its response states by a clock that is %d ms off',
    async (offMs) => {
      const theirs = new Date(Math.floor((Date.now() + offMs) / 1_000) * 1_000);
      const expiry = new Date(theirs.getTime() + 120_000).toISOString();

      const lifetime = lifetimeOf(
        await issueB({ expires_at: expiry }, { date: theirs.toUTCString() }),
      );

      expect(lifetime).toBeGreaterThan(110);
      expect(lifetime).toBeLessThanOrEqual(120);
    },
  );

  it('has the lifetime of the dialect if the response states none', async () => {
    expect(
      lifetimeOf(await issueB({}, {}, { token: { assumedLifetimeMs: 20_000 } })),
    ).toBeLessThanOrEqual(20);
  });
});

describe('a token of variant A', () => {
  it.each([
    { is: 'a JWT', token: () => jwt({ exp: epochSeconds(inTenMinutes()) }), seconds: 600 },
    {
      is: 'a JWT behind a scheme',
      token: () => `Bearer ${jwt({ exp: epochSeconds(inTenMinutes()) })}`,
      seconds: 600,
    },
    {
      is: 'a JWT of a century',
      token: () => jwt({ exp: epochSeconds(new Date()) + 3e9 }),
      seconds: 3_600,
    },
    { is: 'a JWT of the past', token: () => jwt({ exp: 1 }), seconds: 60 },
    { is: 'a JWT whose exp is a text', token: () => jwt({ exp: '9999999999' }), seconds: 60 },
    { is: 'opaque', token: () => 'opaque', seconds: 60 },
    { is: 'no JWT, for all its dots', token: () => 'a.b.c', seconds: 60 },
  ])('lives $seconds seconds when it is $is', async ({ token, seconds }) => {
    const authorization = token();
    const issued = await issueA(authorization);

    expect(issued.authorization).toBe(authorization);
    expect(lifetimeOf(issued)).toBeGreaterThan(seconds - 10);
    expect(lifetimeOf(issued)).toBeLessThanOrEqual(seconds);
  });

  it.each([
    { states: 'no expiry', token: 'opaque', expiryMs: undefined },
    { states: 'a later expiry', token: jwt({ exp: 4_000_000_000 }), expiryMs: 4_000_000_000_000 },
  ])('lets a session last as long as it states: $states', async ({ token, expiryMs }) => {
    expect((await issueA(token)).statedExpiryMs).toBe(expiryMs);
  });

  it.each(['tök', 'x'.repeat(20_000)])(
    'is malformed where it cannot be a header value',
    async (token) => {
      expect((await failureOf(issueA(token))).failure).toBe('malformed');
    },
  );
});
