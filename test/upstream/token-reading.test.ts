import { describe, expect, it } from 'vitest';

import { byClockOf, readExpiry, readToken } from '../../src/upstream/reading/token.ts';
import { dialectOf } from './support/open.ts';

const nowMs = Date.UTC(2030, 0, 1);
const nowSeconds = nowMs / 1_000;

describe('Token200', () => {
  it.each(['access_token', 'accessToken', 'token'])('holds its token under %s', (name) => {
    expect(readToken({ [name]: 'abc' }, dialectOf(), nowMs)?.value).toBe('abc');
  });

  it.each([
    { says: 'expires_in in seconds', body: { expires_in: 600 }, livesMs: 600_000 },
    { says: 'expires_in as a text', body: { expires_in: '600' }, livesMs: 600_000 },
    { says: 'expiresIn in seconds', body: { expiresIn: 600 }, livesMs: 600_000 },
    { says: 'an ISO date-time', body: { expires_at: '2030-01-01T00:10:00Z' }, livesMs: 600_000 },
    { says: 'an ISO date-time with an offset', body: { expires: '2030-01-01T02:10:00+02:00' }, livesMs: 600_000 },
    { says: 'an HTTP date', body: { expiration: 'Tue, 01 Jan 2030 00:10:00 GMT' }, livesMs: 600_000 },
    { says: 'epoch seconds', body: { expiresAt: nowSeconds + 600 }, livesMs: 600_000 },
    { says: 'epoch milliseconds', body: { expirationDate: nowMs + 600_000 }, livesMs: 600_000 },
    { says: 'nothing', body: {}, livesMs: 60_000 },
    { says: 'null', body: { expires_in: null }, livesMs: 60_000 },
    { says: 'garbage', body: { expires_in: 'soon' }, livesMs: 60_000 },
    { says: 'a garbage date', body: { expires_at: 'tomorrow' }, livesMs: 60_000 },
    { says: 'zero', body: { expires_in: 0 }, livesMs: 60_000 },
    { says: 'a negative lifetime', body: { expires_in: -5 }, livesMs: 60_000 },
    { says: 'a past date-time', body: { expires_at: '2001-01-01T00:00:00Z' }, livesMs: 60_000 },
    { says: 'a century', body: { expires_in: 3_155_760_000 }, livesMs: 3_600_000 },
    { says: 'an absurd number', body: { expires_in: 1e300 }, livesMs: 3_600_000 },
    { says: 'an absurd epoch', body: { expires_at: 1e300 }, livesMs: 3_600_000 },
  ])('lives $livesMs ms when its answer says $says', ({ body, livesMs }) => {
    const token = readToken({ token: 'abc', ...body }, dialectOf(), nowMs);

    expect(token).toMatchObject({ value: 'abc', expiresAtMs: nowMs + livesMs });
  });

  it.each([
    { says: 'zero', body: { expires_in: 0 } },
    { says: 'a past date-time', body: { expires_at: '2001-01-01T00:00:00Z' } },
  ])('ends for those who signed in when it is taken to have ended, where its answer says $says', ({ body }) => {
    expect(readToken({ token: 'abc', ...body }, dialectOf(), nowMs)?.statedExpiryMs).toBe(nowMs + 60_000);
  });

  it('lives as long as the dialect assumes where nothing is said', () => {
    const dialect = dialectOf({ token: { assumedLifetimeMs: 5_000 } });

    expect(readToken({ token: 'abc' }, dialect, nowMs)?.expiresAtMs).toBe(nowMs + 5_000);
  });
});

describe('the end of a token from a host whose clock is another', () => {
  const apart = (ms: number) => new Date(nowMs + ms).toUTCString();

  it.each([
    { said: 'ten minutes ahead', date: apart(600_000), expiresAt: '2030-01-01T00:20:00Z', livesMs: 600_000 },
    { said: 'five minutes behind', date: apart(-300_000), expiresAt: '2030-01-01T00:05:00Z', livesMs: 600_000 },
    {
      said: 'a second behind, which is none',
      date: apart(-1_000),
      expiresAt: '2030-01-01T00:10:00Z',
      livesMs: 600_000,
    },
    { said: 'no clock', date: 'yesterday', expiresAt: '2030-01-01T00:10:00Z', livesMs: 600_000 },
    { said: 'nothing', date: undefined, expiresAt: '2030-01-01T00:10:00Z', livesMs: 600_000 },
  ])('is read by that clock, which is $said', ({ date, expiresAt, livesMs }) => {
    const token = byClockOf(date, nowMs, (atMs) => readToken({ token: 'a', expires_at: expiresAt }, dialectOf(), atMs));

    expect(token).toEqual({ value: 'a', expiresAtMs: nowMs + livesMs, statedExpiryMs: nowMs + livesMs });
  });
});

describe('a token that is known by its value only', () => {
  const jwt = (claims: object) => `a.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c`;

  it.each([
    { says: 'nothing', token: 'opaque', statedMs: undefined },
    { says: 'no end', token: jwt({}), statedMs: undefined },
    { says: 'a later end', token: jwt({ exp: nowSeconds + 7_200 }), statedMs: nowMs + 7_200_000 },
    { says: 'an end that is over', token: jwt({ exp: nowSeconds - 1 }), statedMs: nowMs + 60_000 },
  ])('lets a session last until $statedMs when it says $says', ({ token, statedMs }) => {
    expect(readExpiry(token, dialectOf(), nowMs).statedExpiryMs).toBe(statedMs);
  });
});
