import { createHash } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';

/** What a session holds. Only the gateway can read it. */
export interface SessionContent {
  /** Tells it from other sessions, also of the same user with the same token. */
  readonly id: string;
  readonly name: string;
  /** The platform's token: a whole `Authorization` header. */
  readonly authorization: string;
  /** In epoch milliseconds, as is `untilMs`. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Encrypts sessions, so that callers can keep them and replicas share only keys. */
export interface SessionTokens {
  encrypt(content: SessionContent): Promise<string>;
  /** `undefined` for a session that has ended, or was not encrypted here. */
  decrypt(token: string): Promise<SessionContent | undefined>;
}

const AUDIENCE = 'caseway-session';

/**
 * Makes session tokens: JWE with a direct key of 256 bits (A256GCM).
 *
 * @param keys the first encrypts, all decrypt: a new key goes first, and the old one leaves when its sessions have ended.
 */
export function createSessionTokens(keys: readonly [Uint8Array, ...Uint8Array[]]): SessionTokens {
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  const [newest] = keys;

  return {
    encrypt({ id, name, authorization, sinceMs, untilMs }) {
      return new EncryptJWT({ authorization, sinceMs, untilMs })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keyId(newest) })
        .setJti(id)
        .setSubject(name)
        .setAudience(AUDIENCE)
        .setExpirationTime(new Date(untilMs))
        .encrypt(newest);
    },
    async decrypt(token) {
      const options = { audience: AUDIENCE, clockTolerance: 0 };
      const algorithms = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };
      try {
        const findKey = ({ kid = '' }) => held(byId.get(kid));
        const { payload } = await jwtDecrypt(token, findKey, { ...options, ...algorithms });
        const { jti: id = '', sub: name = '', authorization, sinceMs, untilMs } = payload;
        if (Number(untilMs) <= Date.now()) return undefined;
        const times = { sinceMs: Number(sinceMs), untilMs: Number(untilMs) };
        return { id, name, authorization: String(authorization), ...times };
      } catch {
        return undefined;
      }
    },
  };
}

// Tells which key it is without telling the key.
const keyId = (key: Uint8Array): string => createHash('sha256').update(key).digest('base64url').slice(0, 8);

function held(key: Uint8Array | undefined): Uint8Array {
  if (key === undefined) throw new Error('this key is not held');
  return key;
}
