import { createHash } from 'node:crypto';

const SHA256 = /^(?:sha256:)?([0-9a-f]{64})$/i;

/** The SHA-256 of a document's text as UTF-8, in hexadecimal: the name by which every client of it means the same. */
export const hashDocument = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A hash as it is looked up, however it is written; `undefined` for what is none. */
export const readHash = (id: string): string | undefined => SHA256.exec(id)?.[1]?.toLowerCase();
