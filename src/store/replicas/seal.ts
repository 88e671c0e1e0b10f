import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Keys of 32 bytes: the first seals, all open. */
export type StoreKeys = readonly [Uint8Array, ...Uint8Array[]];

/** Keeps what lies in Redis from being read, changed or taken for something else there. */
export interface Seal {
  /** Seals a content for the name that it will be kept under. */
  close(name: string, content: string | Uint8Array): Buffer;
  /** `undefined` for what was not sealed under this name with one of the keys: nothing in it can be trusted. */
  open(name: string, sealed: Uint8Array): Buffer | undefined;
  /**
   * Hashes parts to a text that tells nothing about them to those who lack the key; one text for each key, the sealing
   * key's first. Each part goes in with its length, so that no two lists of parts read the same.
   */
  blind(...parts: readonly string[]): readonly [string, ...string[]];
}

interface Subkeys {
  readonly id: Buffer;
  readonly sealing: Buffer;
  readonly naming: Buffer;
}

const ID_BYTES = 4;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const HEAD_BYTES = ID_BYTES + SALT_BYTES + TAG_BYTES;

/**
 * Makes the seal: AES-256-GCM. Each content gets a key and a nonce of its own, drawn from the sealing key and a random salt,
 * so that no number of contents wears a key out. The name is bound to it as associated data.
 *
 * A sealed content is the key's mark (4 bytes), the salt (16), the tag (16) and the ciphertext.
 */
export function createSeal(keys: StoreKeys): Seal {
  const [first, ...others] = keys;
  const own = derive(first);
  const older = others.map(derive);

  return {
    close(name, content) {
      const salt = randomBytes(SALT_BYTES);
      const { key, nonce } = drawn(own, salt);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name));
      const text = Buffer.concat([cipher.update(content), cipher.final()]);
      return Buffer.concat([own.id, salt, cipher.getAuthTag(), text]);
    },
    open(name, sealed) {
      const bytes = Buffer.from(sealed);
      const subkeys = [own, ...older].find(({ id }) => id.equals(bytes.subarray(0, ID_BYTES)));
      if (subkeys === undefined || bytes.length < HEAD_BYTES) return undefined;
      const { key, nonce } = drawn(subkeys, bytes.subarray(ID_BYTES, ID_BYTES + SALT_BYTES));
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(HEAD_BYTES - TAG_BYTES, HEAD_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
    blind: (...parts) => [blinded(own, parts), ...older.map((subkeys) => blinded(subkeys, parts))],
  };
}

// Keys for different ends never meet, so that nothing learnt from a name helps with a seal.
function derive(key: Uint8Array): Subkeys {
  const subkey = (end: string, bytes: number) => Buffer.from(hkdfSync('sha256', key, '', `caseway ${end} 1`, bytes));
  return { id: subkey('mark', ID_BYTES), sealing: subkey('seal', 32), naming: subkey('name', 32) };
}

function drawn({ sealing }: Subkeys, salt: Uint8Array) {
  const bytes = createHmac('sha512', sealing).update(salt).digest();
  return { key: bytes.subarray(0, 32), nonce: bytes.subarray(32, 44) };
}

function blinded({ naming }: Subkeys, parts: readonly string[]): string {
  const hash = createHmac('sha256', naming);
  for (const part of parts) {
    const bytes = Buffer.from(part);
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest('base64url');
}
