import { integer } from './setting.ts';

const lifetime = (fallback: number, about: string) =>
  integer({ from: 0, to: 86_400_000, fallback, unit: 'milliseconds', about });

/** What the gateway keeps of the platform's answers, and how long. */
export const CACHE_SETTINGS = {
  CACHE_DEFINITIONS_MS: lifetime(
    60_000,
    'How long forms and rules are served from the cache. A definition that was changed is seen this late at most.',
  ),
  CACHE_INSTANCES_MS: lifetime(
    0,
    'The same for instances and their lists; what is changed through the gateway is seen at once. 0: every read asks whether they have changed.',
  ),
  STALE_IF_ERROR_MS: lifetime(
    0,
    'How old a copy may be that is served when the platform does not answer; the answer says so in `extensions.stale`. 0: such a read fails.',
  ),
  CACHE_MAX_BYTES: integer({
    from: 1_024,
    to: 68_719_476_736,
    fallback: 67_108_864,
    unit: 'bytes',
    about: 'About how much memory the cache may take; the least recently used goes first.',
  }),
} as const;
