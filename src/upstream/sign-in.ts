import { UpstreamError } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject, pickObject, pickText } from '../core/json.ts';
import { steadyNow } from '../core/work.ts';
import { parseBody, toError } from './answer.ts';
import { type Call, type HttpResponse, headersOf, JSON_TYPE } from './call.ts';
import type { Dialect } from './dialect.ts';
import type { Token } from './token-source.ts';

/** The credentials of `getToken`: variant A's body, or variant B's Basic pair and `grant_type`. */
export type Credentials =
  | { readonly variant: 'A'; readonly body: JsonObject }
  | { readonly variant: 'B'; readonly username: string; readonly password: string };

const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * Makes the call that gets a token: `getToken`. Variant A sends the credentials as JSON, variant B a Basic pair and a form-encoded
 * `grant_type`.
 *
 * @param kind its kind in the call budget.
 * @param path below the address of the host that issues tokens.
 */
export function toSignIn(
  credentials: Credentials,
  kind: 'renewal' | 'sign-in',
  path: string,
  { token }: Dialect,
): Call {
  const call = {
    operation: 'getToken',
    kind,
    method: 'POST',
    path,
    endsAtMs: Number.POSITIVE_INFINITY,
    sent: 1,
  } as const;
  if (credentials.variant === 'A') {
    return { ...call, headers: headersOf('A', true), body: JSON.stringify(credentials.body) };
  }
  const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  const headers = { accept: JSON_TYPE, 'content-type': FORM_TYPE, authorization: `Basic ${pair}` };
  return { ...call, headers, body: String(new URLSearchParams({ grant_type: token.grantType })) };
}

/**
 * Decodes the answer to a call of `toSignIn`. In variant A the token comes in the `Authorization` header and is sent back unchanged;
 * in variant B it is in the body and is sent as Bearer.
 *
 * @throws {UpstreamError} `unauthenticated` when the credentials are refused, and as every call does.
 */
export function decodeToken(
  { variant }: Credentials,
  response: HttpResponse,
  dialect: Dialect,
): Token {
  const { status, headers, text } = response;
  if (status < 200 || status > 299) throw refusal(response, dialect);
  const clock = clockOf(headers.date, steadyNow());
  const token =
    variant === 'A'
      ? decodeHeader(headers.authorization, dialect, clock)
      : decodeToken200(parseBody(text), dialect, clock);
  if (token === undefined) throw new UpstreamError('malformed', { operation: 'getToken', status });
  return token;
}

/** 400 is how variant B refuses credentials, 401 how variant A does, and 403 how platforms refuse a user who is locked. */
const REFUSALS: readonly number[] = [400, 401, 403];

// Any other 4xx says nothing of the credentials, such as 404 where the address is wrong or a platform is being replaced. Passed
// on as it is, a 404 would read as a form that does not exist, and a 422 as a mistake of the client.
function refusal(response: HttpResponse, dialect: Dialect): UpstreamError {
  const error = toError({ operation: 'getToken', kind: 'sign-in' }, response, dialect);
  const { status } = response;
  if (status >= 500 || error.failure === 'malformed' || error.failure === 'rate-limited')
    return error;
  const failure = REFUSALS.includes(status) ? 'unauthenticated' : 'failed';
  return new UpstreamError(failure, { operation: 'getToken', status, isFinal: true });
}

/** A token is renewed at least this often, whatever expiry it claims. */
const MAX_LIFETIME_MS = 3_600_000;
/** A Date header has whole seconds, and takes its time to come; clocks that are less apart count as equal. */
const CLOCK_TOLERANCE_MS = 5_000;

type IssuerClock = ReturnType<typeof clockOf>;

/** Gives the time in epoch milliseconds, and how much the issuer's clock, which its Date header shows, is ahead of that. */
function clockOf(date: string | undefined, nowMs: number) {
  const aheadMs = Date.parse(date ?? '') - nowMs;
  return { nowMs, aheadMs: Math.abs(aheadMs) > CLOCK_TOLERANCE_MS ? aheadMs : 0 };
}

// The interface does not say how long the token lives: a JWT says it itself.
function decodeHeader(
  authorization: string | undefined,
  dialect: Dialect,
  clock: IssuerClock,
): Token | undefined {
  if (authorization === undefined || !isHeaderValue(authorization)) return undefined;
  const payload = authorization.replace(/^Bearer /i, '').split('.')[1] ?? '';
  const claims = parseBody(Buffer.from(payload, 'base64url').toString());
  const exp = isJsonObject(claims) ? claims['exp'] : undefined;
  const statedMs = typeof exp === 'number' ? exp * 1_000 - clock.aheadMs : undefined;
  return { authorization, ...expiryOf(statedMs, dialect, clock) };
}

/** The members of a token's lifetime in seconds, and of its expiry. */
const LIFETIMES = ['expires_in', 'expiresIn'];
const EXPIRIES = ['expires_at', 'expiresAt', 'expires', 'expiration', 'expirationDate'];

function decodeToken200(
  body: Json | undefined,
  dialect: Dialect,
  clock: IssuerClock,
): Token | undefined {
  if (!isJsonObject(body)) return undefined;
  const enveloped = pickObject(body, dialect.envelope) ?? {};
  const record = pickText(body, dialect.token.value) === undefined ? enveloped : body;
  // Some issuers write the scheme before the token.
  const value = pickText(record, dialect.token.value)?.replace(/^Bearer +/i, '');
  if (value === undefined || !isHeaderValue(value)) return undefined;
  const lifetime = pickText(record, LIFETIMES);
  const expiry = pickText(record, EXPIRIES);
  const expiryMs = expiry === undefined ? undefined : toEpochMs(expiry) - clock.aheadMs;
  const statedMs = lifetime === undefined ? expiryMs : clock.nowMs + Number(lifetime) * 1_000;
  return { authorization: `Bearer ${value}`, ...expiryOf(statedMs, dialect, clock) };
}

// A number is epoch seconds or, from the year 5138 on if it were those, epoch milliseconds.
function toEpochMs(expiry: string): number {
  const number = Number(expiry);
  if (Number.isNaN(number)) return Date.parse(expiry);
  return number < 1e11 ? number * 1_000 : number;
}

function expiryOf(statedMs: number | undefined, { token }: Dialect, { nowMs }: IssuerClock) {
  const assumedMs = nowMs + token.assumedLifetimeMs;
  const isStated = statedMs !== undefined && !Number.isNaN(statedMs);
  // A platform that issues a token and says that it has expired accepts it, perhaps, but not for long.
  const statedExpiryMs = isStated ? (statedMs > nowMs ? statedMs : assumedMs) : undefined;
  return {
    expiresAtMs: Math.min(statedExpiryMs ?? assumedMs, nowMs + MAX_LIFETIME_MS),
    statedExpiryMs,
  };
}

/** Whether a text can be a header's value as it is; anything else could not be sent back unchanged. */
const isHeaderValue = (text: string): boolean =>
  /^[\x21-\x7e](?:[\x20-\x7e]{0,16382}[\x21-\x7e])?$/.test(text);
