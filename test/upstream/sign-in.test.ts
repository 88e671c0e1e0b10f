import { describe, expect, it } from 'vitest';
import { steadyNow } from '../../src/core/request-state.ts';
import type { Token } from '../../src/upstream/token-provider.ts';
import {
  CREDENTIALS,
  dialectOf,
  failureOf,
  openFactory,
  type Reply,
  startServer,
} from './support/open.ts';

/** Signs in, with this response to `getToken`. */
async function issue(variant: 'A' | 'B', reply: Reply, file: unknown = {}): Promise<Token> {
  const { url } = await startServer(() => reply);
  return openFactory(url, { variant, dialect: dialectOf(file) }).signIn(CREDENTIALS[variant]);
}
const issueB = (body: object, headers: Reply['headers'] = {}, file: unknown = {}) =>
  issue('B', { status: 200, headers, body: { token: 'abc', ...body } }, file);
const issueA = (authorization: string) => issue('A', { status: 201, headers: { authorization } });

/** Checks the time until a token expires. */
function expectLifetime({ expiresAtMs }: Token, seconds: number) {
  const lifetime = (expiresAtMs - steadyNow()) / 1_000;
  expect(lifetime).toBeGreaterThan(seconds - 10);
  expect(lifetime).toBeLessThanOrEqual(seconds);
}
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
    expectLifetime(token, 600);
  });

  it('is taken before one in an envelope', async () => {
    const token = await issueB({ data: { token: 'another', expires_in: 5 }, expires_in: 600 });

    expect(token.authorization).toBe('Bearer abc');
    expectLifetime(token, 600);
  });

  it.each<[states: string, seconds: number, body: () => object]>([
    ['expires_in in seconds', 600, () => ({ expires_in: 600 })],
    ['expires_in as a text', 600, () => ({ expires_in: '600' })],
    ['an ISO date-time', 600, () => ({ expires_at: inTenMinutes().toISOString() })],
    ['an HTTP date', 600, () => ({ expiration: inTenMinutes().toUTCString() })],
    ['epoch seconds', 600, () => ({ expiresAt: epochSeconds(inTenMinutes()) })],
    ['epoch milliseconds', 600, () => ({ expirationDate: inTenMinutes().getTime() })],
    ['nothing', 60, () => ({})],
    ['garbage', 60, () => ({ expires_in: 'soon' })],
    ['a garbage date', 60, () => ({ expires_at: 'tomorrow' })],
    ['no lifetime', 60, () => ({ expires_in: 0 })],
    ['a negative lifetime', 60, () => ({ expires_in: -5 })],
    ['a past date-time', 60, () => ({ expires_at: '2001-01-01T00:00:00Z' })],
    ['a century', 3_600, () => ({ expires_in: 3_155_760_000 })],
    ['an absurd epoch', 3_600, () => ({ expires_at: 1e300 })],
  ])('whose response states %s lives %i seconds', async (_states, seconds, body) => {
    expectLifetime(await issueB(body()), seconds);
  });

  it.each([-300_000, 300_000])(
    'lives as long as its response states by a clock that is %d ms off',
    async (offMs) => {
      const theirs = new Date(Math.floor((Date.now() + offMs) / 1_000) * 1_000);
      const expiry = new Date(theirs.getTime() + 120_000).toISOString();

      const token = await issueB({ expires_at: expiry }, { date: theirs.toUTCString() });

      expectLifetime(token, 120);
    },
  );

  it('has the lifetime of the dialect if the response states none', async () => {
    const token = await issueB({}, {}, { token: { assumedLifetimeMs: 20_000 } });

    expectLifetime(token, 20);
  });
});

describe('a token of variant A', () => {
  it.each<[is: string, seconds: number, authorization: string]>([
    ['a JWT', 600, jwt({ exp: epochSeconds(inTenMinutes()) })],
    ['a JWT behind a scheme', 600, `Bearer ${jwt({ exp: epochSeconds(inTenMinutes()) })}`],
    ['a JWT of a century', 3_600, jwt({ exp: epochSeconds(new Date()) + 3e9 })],
    ['a JWT of the past', 60, jwt({ exp: 1 })],
    ['a JWT whose exp is a text', 60, jwt({ exp: '9999999999' })],
    ['opaque', 60, 'opaque'],
    ['no JWT, for all its dots', 60, 'a.b.c'],
  ])('that is %s lives %i seconds', async (_is, seconds, authorization) => {
    const issued = await issueA(authorization);

    expect(issued.authorization).toBe(authorization);
    expectLifetime(issued, seconds);
  });

  it('lets a session last as long as it states', async () => {
    expect((await issueA('opaque')).statedExpiryMs).toBeUndefined();
    expect((await issueA(jwt({ exp: 4_000_000_000 }))).statedExpiryMs).toBe(4_000_000_000_000);
  });

  it.each(['tök', 'x'.repeat(20_000)])(
    'is malformed where it cannot be a header value',
    async (token) => {
      expect((await failureOf(issueA(token))).failure).toBe('malformed');
    },
  );
});
