import { createHmac } from 'node:crypto';
import { EncryptJWT, type JWTPayload, jwtDecrypt } from 'jose';

import type { EncryptionKeys } from '../../config/config.ts';

/** Keeps what lies in Redis from being read, changed or taken for something else there. */
export interface Encryption {
  /** @param name under which it will be kept or sent. */
  encrypt(name: string, content: JWTPayload): Promise<string>;
  /** `undefined` for what was not encrypted under this name with one of the keys: nothing in it can be trusted. */
  decrypt(name: string, text: string): Promise<JWTPayload | undefined>;
  /** Hashes a text with the key, so that the hash reveals nothing without it. */
  hash(text: string): string;
}

/** Makes the encryption: JWE with a direct key of 256 bits (A256GCM), the name as the audience. */
export function createEncryption(keys: EncryptionKeys): Encryption {
  const [first] = keys;
  return {
    encrypt: (name, content) =>
      new EncryptJWT(content).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).setAudience(name).encrypt(first),
    async decrypt(name, text) {
      for (const key of keys) {
        try {
          const { payload } = await jwtDecrypt(text, key, {
            audience: name,
            keyManagementAlgorithms: ['dir'],
            contentEncryptionAlgorithms: ['A256GCM'],
          });
          return payload;
        } catch {
          // Encrypted with another key, or forged.
        }
      }
      return undefined;
    },
    hash: (text) => createHmac('sha256', first).update(text).digest('base64url'),
  };
}
