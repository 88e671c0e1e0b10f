import { hash } from 'node:crypto';

import { type CallerCheck, unknownCaller } from './caller-check.ts';

/** An API key as it is kept: whose it is, and the SHA-256 of it in hexadecimal. */
export interface ApiKeyHash {
  readonly name: string;
  readonly sha256: string;
}

/** `CALLER_AUTH=key`: callers send a key in `x-api-key`. Only hashes of keys are kept. */
export function checkKeyCallers(keys: readonly ApiKeyHash[]): CallerCheck {
  // Keys are long and random: finding one by its hash tells nothing by its timing.
  const byHash = new Map(keys.map(({ name, sha256 }) => [sha256, { name }]));
  return async ({ 'x-api-key': key }) => {
    const viewer = typeof key === 'string' ? byHash.get(hashApiKey(key)) : undefined;
    if (viewer === undefined) throw unknownCaller('ApiKey');
    return viewer;
  };
}

/** Gives the SHA-256 of a key, in hexadecimal. */
export const hashApiKey = (key: string): string => hash('sha256', key, 'hex');
