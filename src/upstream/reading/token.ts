import type { Dialect } from '../dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { pickText } from './members.ts';

/** A token is renewed at least this often, whatever end it claims. */
const MAX_LIFETIME_MS = 3_600_000;

/** When a token ends, in epoch milliseconds. */
interface End {
  /** When it is taken to have ended. */
  readonly expiresAtMs: number;
  /** What the platform said itself, however far away; `undefined` when it said nothing usable. */
  readonly statedExpiryMs: number | undefined;
}

/** Gives Token200's token (variant B) and its end; `undefined` when it has no usable token. */
export function readToken(body: Json | undefined, dialect: Dialect, nowMs: number) {
  if (!isJsonObject(body)) return undefined;
  const value = pickText(body, dialect.token.value);
  return value !== undefined && isHeaderValue(value) ? { value, ...endOf(body, dialect, nowMs) } : undefined;
}

/** Gives the end of a token that is known by its value only (variant A): a JWT's `exp`, where it is one. */
export function readExpiry(authorization: string, dialect: Dialect, nowMs: number): End {
  const payload = authorization.replace(/^Bearer /i, '').split('.')[1] ?? '';
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const isJwt = isJsonObject(claims) && typeof claims['exp'] === 'number';
    return bound(isJwt ? Number(claims['exp']) * 1_000 : undefined, dialect, nowMs);
  } catch {
    return bound(undefined, dialect, nowMs);
  }
}

/** A Date header says whole seconds, and takes its time to come; clocks that are less apart are taken to agree. */
const AGREEMENT_MS = 5_000;

/** Reads an end by the clock of the host that answered, which its Date header shows, and gives it by ours. */
export function byClockOf<T extends End | undefined>(
  date: string | undefined,
  nowMs: number,
  read: (nowMs: number) => T,
): T {
  const aheadMs = Date.parse(date ?? '') - nowMs;
  if (!(Math.abs(aheadMs) > AGREEMENT_MS)) return read(nowMs);
  const end = read(nowMs + aheadMs);
  if (end === undefined) return end;
  const statedExpiryMs = end.statedExpiryMs === undefined ? undefined : end.statedExpiryMs - aheadMs;
  return { ...end, expiresAtMs: end.expiresAtMs - aheadMs, statedExpiryMs };
}

/** Whether a text can be a header's value as it is; anything else could not be sent back unchanged. */
export const isHeaderValue = (text: string): boolean => /^[\x21-\x7e](?:[\x20-\x7e]{0,16382}[\x21-\x7e])?$/.test(text);

function endOf(body: JsonObject, dialect: Dialect, nowMs: number): End {
  const lifetime = pickText(body, dialect.token.lifetimeSeconds);
  if (lifetime !== undefined) return bound(nowMs + Number(lifetime) * 1_000, dialect, nowMs);
  const expiry = pickText(body, dialect.token.expiry);
  return bound(expiry === undefined ? undefined : toEpochMs(expiry), dialect, nowMs);
}

// A number is epoch seconds or, from the year 5138 on if it were those, epoch milliseconds.
function toEpochMs(expiry: string): number {
  const number = Number(expiry);
  if (Number.isNaN(number)) return Date.parse(expiry);
  return number < 1e11 ? number * 1_000 : number;
}

function bound(statedMs: number | undefined, { token }: Dialect, nowMs: number): End {
  const assumedMs = nowMs + token.assumedLifetimeMs;
  const isStated = statedMs !== undefined && !Number.isNaN(statedMs);
  // A platform that gives a token and says that it has ended takes it, perhaps, but not for as long as it likes.
  const statedExpiryMs = isStated ? (statedMs > nowMs ? statedMs : assumedMs) : undefined;
  return { expiresAtMs: Math.min(statedExpiryMs ?? assumedMs, nowMs + MAX_LIFETIME_MS), statedExpiryMs };
}
