import { isOutcomeUnknown } from './errors.ts';

/** The part of `localStorage` and `sessionStorage` that is used. */
export interface KeyStorage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

/** The idempotency key of one form on the screen. */
export interface IdempotencyKey {
  /**
   * Returns the key of these values. The same values get the same key until `settle` or `renew`,
   * also after a reload.
   */
  keyOf(values: unknown): string;
  /**
   * Forgets the key after a definite outcome: without an error, or with an error after which the
   * outcome is known. Otherwise the key stays, so that a repeat has no second effect.
   */
  settle(error?: unknown): void;
  /**
   * Forgets the key. Call it when a person has read the record after an unknown outcome, and sends
   * the same values again.
   */
  renew(): void;
}

/**
 * Creates the idempotency key of a form.
 *
 * @param storage where the key survives a reload, such as `sessionStorage`. Only a hash of the
 *   values is stored.
 * @param name the name of the form, and of the record that it changes.
 * @example
 * const idempotency = createIdempotencyKey(sessionStorage, 'create-request');
 * const input = { values, idempotencyKey: idempotency.keyOf(values) };
 */
export function createIdempotencyKey(storage: KeyStorage, name: string): IdempotencyKey {
  const itemName = `caseway-key:${name}`;
  const renew = () => storage.removeItem(itemName);
  return {
    keyOf(values) {
      const hash = hashOf(JSON.stringify(values) ?? '');
      const [storedHash, storedKey] = storage.getItem(itemName)?.split(' ') ?? [];
      if (storedKey && storedHash === hash) return storedKey;
      const key = createKey();
      storage.setItem(itemName, `${hash} ${key}`);
      return key;
    },
    settle(error) {
      if (error == null || !isOutcomeUnknown(error)) renew();
    },
    renew,
  };
}

/** Returns a new idempotency key. It is unique, and no secret. */
export function createKey(): string {
  const { crypto } = globalThis as { readonly crypto?: Partial<typeof globalThis.crypto> };
  if (crypto?.randomUUID) return crypto.randomUUID();

  // Pages without HTTPS have only `getRandomValues`, and React Native has neither.
  const bytes = new Uint8Array(16).map(() => Math.random() * 256);
  crypto?.getRandomValues?.(bytes);
  return `${Date.now()}-${bytes.join('-')}`;
}

/** Returns 53 bits of a hash (cyrb53). Browsers compute SHA-256 only asynchronously. */
function hashOf(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  const mixedHigh =
    Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  const mixedLow =
    Math.imul(low ^ (low >>> 16), 2_246_822_507) ^
    Math.imul(mixedHigh ^ (mixedHigh >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & mixedLow) + (mixedHigh >>> 0)).toString(36);
}
