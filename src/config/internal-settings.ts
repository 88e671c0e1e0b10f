import { z } from 'zod';

import { integer, oneOf } from './setting-types.ts';

/** A limit or timeout that tests need to reach quickly. It is not documented, and nobody should have to set it. */
const number = (fallback: number, from = 1) => ({ type: integer(from, 68_719_476_736), default: fallback });
const optionalNumber = () => ({ type: integer(0, 68_719_476_736) });
const text = () => ({ type: z.string() });
const word = <const W extends readonly string[]>(...words: W) => ({ type: oneOf(...words) });

/** What one request may hold. */
export const LIMIT_SETTINGS = {
  LIST_ITEMS_MAX: number(1_000),
  JSON_DEPTH_MAX: number(64),
  JSON_KEYS_MAX: number(1_000),
  STRING_MAX: number(100_000),
} as const;

export const INTERNAL_SETTINGS = {
  ...LIMIT_SETTINGS,
  EXPLAIN: word('on', 'off'),
  PAGE_SIZE: number(20),
  BODY_MAX_BYTES: number(262_144),
  HEADERS_TIMEOUT_MS: number(5_000),
  RECEIVE_TIMEOUT_MS: number(10_000),
  SEND_TIMEOUT_MS: number(60_000),
  KEEP_ALIVE_TIMEOUT_MS: number(75_000),
  MAX_CONNECTIONS: number(10_000),
  MAX_REQUESTS_PER_CONNECTION: number(1_000),
  ADMISSION_MAX_IN_FLIGHT: number(128),
  ADMISSION_LAG_MS: number(35),
  DRAIN_DELAY_MS: optionalNumber(),
  DRAIN_TIMEOUT_MS: number(25_000, 0),
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
