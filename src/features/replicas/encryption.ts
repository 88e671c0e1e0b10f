import { createHmac } from 'node:crypto';
import { EncryptJWT, type JWTPayload, jwtDecrypt } from 'jose';

import type { EncryptionKeys } from '../../config/config.ts';

/** Keeps what lies in Redis from being read, changed or taken for something else there. */
export type Encryption = ReturnType<typeof createEncryption>;

/** Makes the encryption: JWE with a direct key of 256 bits (A256GCM), the name as the audience. */
export function createEncryption(keys: EncryptionKeys) {
  const [first] = keys;
  return {
    /** @param name under which it will be kept or sent. */
    encrypt: (name: string, content: JWTPayload) =>
      new EncryptJWT(content)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(name)
        .encrypt(first),
    /** `undefined` for what was not encrypted under this name with one of the keys: nothing in it can be trusted. */
    async decrypt(name: string, text: string): Promise<JWTPayload | undefined> {
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
    /** Hashes a text with the key, so that the hash reveals nothing without it. */
    hash: (text: string) => createHmac('sha256', first).update(text).digest('base64url'),
  };
}
