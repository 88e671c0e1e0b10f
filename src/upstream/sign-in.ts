import { LIMIT_EXCEEDED, UpstreamError } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject, pickObject, pickText } from '../core/json.ts';
import { steadyNow } from '../core/request-state.ts';
import { parseBody, toError } from './answer.ts';
import { type Call, type HttpResponse, headersOf, JSON_TYPE } from './call.ts';
import type { Dialect } from './dialect.ts';
import type { Token } from './token-provider.ts';

/** The credentials for `getToken`: variant A's body, or variant B's user name and password. */
export type Credentials =
  | { readonly variant: 'A'; readonly body: JsonObject }
  | { readonly variant: 'B'; readonly username: string; readonly password: string };

const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * Creates the call of `getToken`. Variant A sends the credentials as JSON. Variant B sends Basic
 * authentication and a form-encoded `grant_type`.
 *
 * @param kind the kind in the call budget.
 * @param path the path at the issuer's host.
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
 * Decodes the response to a call of `toSignIn`. In variant A the token is in the `Authorization`
 * header and is sent back unchanged. In variant B it is in the body and is sent as Bearer.
 *
 * @throws {UpstreamError} `unauthenticated` if the credentials are refused; `malformed` without a
 *   token; other failures of the response.
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

/**
 * The statuses of refused credentials: 400 in variant B, 401 in variant A, and 403 for a locked
 * user.
 */
const REFUSALS: readonly number[] = [400, 401, 403];

// Another 4xx does not concern the credentials, for example a 404 for a wrong address. It becomes
// `failed`: a 404 would look like a missing form, and a 422 like the client's mistake.
function refusal(response: HttpResponse, dialect: Dialect): UpstreamError {
  const error = toError({ operation: 'getToken', kind: 'sign-in' }, response, dialect);
  const { status } = response;
  if (status >= 400 && status < 500 && error.failure !== 'rate-limited') {
    const failure = REFUSALS.includes(status) ? 'unauthenticated' : 'failed';
    return new UpstreamError(failure, { operation: 'getToken', status, isFinal: true });
  }
  // The platform's own text may repeat the password.
  const { failure, errorCode, retryAfterMs, isFinal } = error;
  return new UpstreamError(failure, {
    operation: 'getToken',
    status,
    errorCode: errorCode === LIMIT_EXCEEDED ? errorCode : undefined,
    retryAfterMs,
    isFinal,
  });
}

/** A token is renewed at least this often, whatever its expiry. */
const MAX_LIFETIME_MS = 3_600_000;
/**
 * A Date header has whole seconds and takes time to arrive. Smaller differences of clocks are
 * ignored.
 */
const CLOCK_TOLERANCE_MS = 5_000;

/** The clocks of the gateway and of the token's issuer. */
interface IssuerClock {
  /** The gateway's time in epoch milliseconds. */
  readonly nowMs: number;
  /** How far the issuer's `Date` header is ahead, in milliseconds. */
  readonly aheadMs: number;
}

function clockOf(date: string | undefined, nowMs: number): IssuerClock {
  const aheadMs = Date.parse(date ?? '') - nowMs;
  return { nowMs, aheadMs: Math.abs(aheadMs) > CLOCK_TOLERANCE_MS ? aheadMs : 0 };
}

// The interface does not define the lifetime. A JWT contains it.
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

/** The members with a token's lifetime in seconds, and with its expiry. */
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
  // Some issuers include the scheme.
  const value = pickText(record, dialect.token.value)?.replace(/^Bearer +/i, '');
  if (value === undefined || !isHeaderValue(value)) return undefined;
  const lifetime = pickText(record, LIFETIMES);
  const expiry = pickText(record, EXPIRIES);
  const expiryMs = expiry === undefined ? undefined : toEpochMs(expiry) - clock.aheadMs;
  const statedMs = lifetime === undefined ? expiryMs : clock.nowMs + Number(lifetime) * 1_000;
  return { authorization: `Bearer ${value}`, ...expiryOf(statedMs, dialect, clock) };
}

// A number is in epoch seconds. Numbers from 1e11 on (seconds after the year 5138) are
// milliseconds.
function toEpochMs(expiry: string): number {
  const number = Number(expiry);
  if (Number.isNaN(number)) return Date.parse(expiry);
  return number < 1e11 ? number * 1_000 : number;
}

function expiryOf(statedMs: number | undefined, { token }: Dialect, { nowMs }: IssuerClock) {
  const assumedMs = nowMs + token.assumedLifetimeMs;
  const isStated = statedMs !== undefined && !Number.isNaN(statedMs);
  // A platform may accept a token that it sent as expired, but not for long.
  const statedExpiryMs = isStated ? (statedMs > nowMs ? statedMs : assumedMs) : undefined;
  return {
    expiresAtMs: Math.min(statedExpiryMs ?? assumedMs, nowMs + MAX_LIFETIME_MS),
    statedExpiryMs,
  };
}

/** Returns whether a text is valid as a header's value without changes. */
const isHeaderValue = (text: string): boolean =>
  /^[\x21-\x7e](?:[\x20-\x7e]{0,16382}[\x21-\x7e])?$/.test(text);
