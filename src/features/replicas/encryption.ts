import { createHmac } from 'node:crypto';
import { EncryptJWT, type JWTPayload, jwtDecrypt } from 'jose';

import type { EncryptionKeys } from '../../config/config.ts';

/** Protects data in Redis: it cannot be read or changed there, or moved to another name. */
export type Encryption = ReturnType<typeof createEncryption>;

/**
 * Creates the encryption: JWE with a direct 256-bit key (A256GCM), and the name as the audience.
 */
export function createEncryption(keys: EncryptionKeys) {
  const [first] = keys;
  return {
    /**
     * Encrypts content.
     *
     * @param name the key or channel that the content is for.
     */
    encrypt: (name: string, content: JWTPayload) =>
      new EncryptJWT(content)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(name)
        .encrypt(first),
    /**
     * Decrypts a text. Returns `undefined` if it was not encrypted for this name with one of the
     * keys, so that it cannot be trusted.
     */
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
    /** Returns a keyed hash of a text. Without the key it reveals nothing. */
    hash: (text: string) => createHmac('sha256', first).update(text).digest('base64url'),
  };
}
