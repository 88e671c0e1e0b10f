import { randomBytes } from 'node:crypto';

import { type Call, isObject, json, parseBody, Refusal, type Reply } from './wire.ts';

export const USERNAME = 'garage';
/** With what a Basic pair and an address must carry unharmed. */
export const PASSWORD = 'wheel:axle ü';
const GRANT_TYPE = 'password';

/** How calls are authorized: variant A or B of the interface. */
export type Authorization = 'A' | 'B';

interface Gate {
  /** `getToken`. */
  issue(call: Call): Reply;
  /** Refuses a call that is not authorized, or whose headers are not those of the variant. */
  check(call: Call): void;
  /** Makes every token that was issued invalid. */
  revoke(): void;
}

const LIFETIME_MS = 600_000;

export function createGate(variant: Authorization): Gate {
  const issued = new Set<string>();

  return {
    issue(call) {
      if (variant === 'A') {
        checkCredentials(parseBody(call));
        const token = signedToken();
        issued.add(token);
        return { status: 201, headers: { authorization: token, 'set-cookie': 'sid=1; HttpOnly' } };
      }
      checkBasic(call);
      const token = randomBytes(24).toString('base64url');
      issued.add(`Bearer ${token}`);
      return json(200, { accessToken: token, expiresAt: new Date(Date.now() + LIFETIME_MS).toISOString() });
    },
    check(call) {
      const isKnown = issued.has(String(call.headers['authorization']));
      if (!isKnown) throw new Refusal(401, 'TOKEN_INVALID', 'The token is unknown or has been revoked.');
      checkHeaders(call, variant);
    },
    revoke: () => issued.clear(),
  };
}

function checkCredentials(body: unknown): void {
  if (isObject(body) && body['user'] === USERNAME && body['secret'] === PASSWORD) return;
  throw new Refusal(401, 'CREDENTIALS_INVALID', 'Who are you?');
}

function checkBasic({ headers, body }: Call): void {
  const expected = `Basic ${Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64')}`;
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
  if (headers['authorization'] === expected && isForm && body === `grant_type=${GRANT_TYPE}`) return;
  throw new Refusal(400, 'CREDENTIALS_INVALID', 'Who are you?');
}

// Source: the interface's "Common request headers".
function checkHeaders({ headers, body }: Call, variant: Authorization): void {
  const isTypeDue = variant === 'A' || body !== '';
  const isTyped = headers['content-type'] === 'application/json';
  const isRight = headers['accept'] === 'application/json' && (isTypeDue ? isTyped : !('content-type' in headers));
  if (!isRight) throw new Refusal(400, 'HEADERS_INVALID', 'Accept or Content-Type is not what the interface says.');
}

/** A token with its own expiry, as a JWT has; its signature is not verified. */
function signedToken(): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor((Date.now() + LIFETIME_MS) / 1_000);
  const signature = randomBytes(24).toString('base64url');
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: USERNAME, exp })}.${signature}`;
}
