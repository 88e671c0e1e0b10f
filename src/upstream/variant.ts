import type { Dialect } from './dialect.ts';
import { UpstreamError } from './errors.ts';
import type { Exchanger } from './exchange.ts';
import type { JsonObject } from './json.ts';
import { parseBody, toError } from './reading/error.ts';
import { byClockOf, isHeaderValue, readExpiry, readToken } from './reading/token.ts';
import type { WholeAnswer } from './reception.ts';
import type { Token } from './token-source.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The headers of an operation but `Authorization`, which carries the token as it is. */
export type Headers = (hasBody: boolean) => Readonly<Record<string, string>>;

/** One of the interface's two descriptions of how calls are authorized, with somebody's credentials. */
export interface Variant {
  /** `getToken`, within so many milliseconds where they are said. */
  issue(timeoutMs?: number): Promise<Token>;
  readonly headers: Headers;
}

/** The exact headers of each variant: A has Content-Type on every operation, also a GET; B only where there is a body. */
export const VARIANT_HEADERS = {
  A: () => ({ accept: JSON_TYPE, 'content-type': JSON_TYPE }),
  B: (hasBody) => (hasBody ? { accept: JSON_TYPE, 'content-type': JSON_TYPE } : { accept: JSON_TYPE }),
} as const satisfies Readonly<Record<'A' | 'B', Headers>>;

interface VariantOptions {
  /** Reaches the host that issues tokens. */
  readonly exchange: Exchanger;
  /** Below that host's address. */
  readonly tokenPath: string;
  readonly dialect: Dialect;
  /** The clock, in epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * Variant A: credentials in the body; the token comes in the answer's `Authorization` header and is sent back unchanged.
 * Every operation has Accept and Content-Type, also a GET.
 *
 * The interface does not say how long the token lives: a JWT says it itself, any other is taken to live as the dialect says.
 */
export function createVariantA(
  credentials: JsonObject,
  { exchange, tokenPath, dialect, now = Date.now }: VariantOptions,
): Variant {
  return {
    headers: VARIANT_HEADERS.A,
    async issue(timeoutMs) {
      const request = { operation: 'getToken', method: 'POST', isWrite: false, timeoutMs } as const;
      const headers = VARIANT_HEADERS.A();
      const answer = await exchange({ ...request, path: tokenPath, headers, body: JSON.stringify(credentials) });
      const { authorization } = answer.headers;
      if (answer.status < 200 || answer.status > 299) throw refusal(answer, dialect);
      if (authorization === undefined || !isHeaderValue(authorization)) throw unreadable(answer);
      const end = byClockOf(answer.headers.date, now(), (nowMs) => readExpiry(authorization, dialect, nowMs));
      return { authorization, ...end };
    },
  };
}

/** User name and password for the Basic pair of variant B, and the `grant_type` to ask for. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
  readonly grantType: string;
}

/** Variant B: a Basic pair and a form-encoded `grant_type`; the token is in the body and sent as Bearer. */
export function createVariantB(
  credentials: BasicCredentials,
  { exchange, tokenPath, dialect, now = Date.now }: VariantOptions,
): Variant {
  const { username, password, grantType } = credentials;
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  return {
    headers: VARIANT_HEADERS.B,
    async issue(timeoutMs) {
      const request = { operation: 'getToken', method: 'POST', isWrite: false, timeoutMs } as const;
      const headers = { accept: JSON_TYPE, 'content-type': FORM_TYPE, authorization: `Basic ${basic}` };
      const body = String(new URLSearchParams({ grant_type: grantType }));
      const answer = await exchange({ ...request, path: tokenPath, headers, body });
      if (answer.status < 200 || answer.status > 299) throw refusal(answer, dialect);
      const said = parseBody(answer.text);
      const token = byClockOf(answer.headers.date, now(), (nowMs) => readToken(said, dialect, nowMs));
      if (token === undefined) throw unreadable(answer);
      const { value, ...end } = token;
      return { authorization: `Bearer ${value}`, ...end };
    },
  };
}

// 400 is how variant B refuses credentials, 401 how variant A does. Any other 4xx is the gateway's own fault as well: passed
// on, a 404 would read as a form that does not exist, and a 422 as a mistake of the client.
function refusal(answer: WholeAnswer, dialect: Dialect): UpstreamError {
  const error = toError('getToken', answer, dialect);
  const { status } = answer;
  if (status >= 500 || error.failure === 'malformed' || error.failure === 'rate-limited') return error;
  return new UpstreamError('unauthenticated', { operation: 'getToken', status });
}

const unreadable = ({ status }: WholeAnswer) => new UpstreamError('malformed', { operation: 'getToken', status });
