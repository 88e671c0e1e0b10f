import { z } from 'zod';

import { integer, oneOf } from './setting-types.ts';

/** A limit or timeout that tests need to reach quickly. It is not documented, and nobody should have to set it. */
const number = (fallback: number, from = 1) => ({ type: integer(from, 68_719_476_736), default: fallback });
const text = () => ({ type: z.string() });
const word = <const W extends readonly string[]>(...words: W) => ({ type: oneOf(...words) });

export const INTERNAL_SETTINGS = {
  EXPLAIN: word('on', 'off'),
  PAGE_SIZE: number(20),
  CALLER_JWT_PUBLIC_KEY: { ...text(), isSecret: true },
  SESSION_MAX_MS: number(28_800_000),
  SCOPES_MAX: number(10_000),
  SCOPE_IDLE_MS: number(900_000),
  CACHE_CONTROL: { ...word('off', 'private', 'public'), default: 'private' },
  APQ_MAX: number(1_000, 0),
  APQ_MAX_BYTES: number(8_388_608),
  TYPED_GRAPH: { ...word('on', 'off'), default: 'on' },
  TYPED_FORMS_EXCEPT: text(),
  TYPED_WATCH_MS: number(300_000, 0),
  UPSTREAM_CA_FILE: text(),
} as const;
