import { ANSWER_LEAKS } from './answer-leaks.ts';
import { KNOWLEDGE_LEAKS } from './knowledge-leaks.ts';
import type { Leak } from './leak.ts';
import { REPLICA_LEAKS } from './replica-leaks.ts';
import { SESSION_LEAKS } from './session-leaks.ts';
import { STORE_LEAKS } from './store-leaks.ts';
import { WIRE_LEAKS } from './wire-leaks.ts';

/** Every leak that the proof must see, by what was done wrong. */
export const LEAKS: Readonly<Record<string, Leak>> = {
  ...STORE_LEAKS,
  ...REPLICA_LEAKS,
  ...KNOWLEDGE_LEAKS,
  ...ANSWER_LEAKS,
  ...SESSION_LEAKS,
  ...WIRE_LEAKS,
};
