import type { KeyObject } from 'node:crypto';
import { type CryptoKey, exportJWK } from 'jose';

/** Returns a `CALLER_JWKS_URL` for an issuer with one key. */
export const keySetUrl = async (publicKey: CryptoKey | KeyObject): Promise<string> =>
  `data:application/json,${encodeURIComponent(JSON.stringify({ keys: [await exportJWK(publicKey)] }))}`;
