import { choice, integer } from './setting.ts';

const window = (fallback: number, about: string) =>
  integer({ from: 0, to: 86_400_000, fallback, unit: 'milliseconds', about });

/** What the gateway keeps of the platform's answers, and how long it is good for. */
export const STORE_SETTINGS = {
  FRESH_DEFINITIONS_MS: window(
    60_000,
    'How long forms and rules that were read serve without asking again. A definition that was changed is seen this late at most.',
  ),
  FRESH_INSTANCES_MS: window(
    0,
    'The same for instances that are asked by their ids, as references are. 0: it is always asked whether they have changed.',
  ),
  FRESH_LISTS_MS: window(0, 'The same for pages of instances.'),
  STALE_IF_FAILED_MS: window(
    0,
    'How old a copy may be that answers when the platform does not; the answer says so in `extensions.stale`. 0: such a read fails.',
  ),
  STORE_MAX_BYTES: integer({
    from: 1_024,
    to: 68_719_476_736,
    fallback: 67_108_864,
    unit: 'bytes',
    about: 'About how much memory all that is kept may take; what nobody asked for longest goes first.',
  }),
  ANSWERS_MAX_BYTES: integer({
    from: 0,
    to: 68_719_476_736,
    fallback: 16_777_216,
    unit: 'bytes',
    about:
      'About how much memory whole answers may take; one serves again while all that it rests on is known to be true. 0: none is kept.',
  }),
  SHARE_DEFINITIONS: choice({
    words: ['on', 'off'],
    fallback: 'off',
    about:
      'Whether forms and rules that one caller was shown are shown to every caller whom the platform has let in, its links and all.',
  }),
} as const;
