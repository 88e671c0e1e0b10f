import { choice, integer, optionalText } from './setting.ts';

/** Which forms have types of their own, and how these are kept true. */
export const TYPED_SETTINGS = {
  TYPED_GRAPH: choice({
    words: ['on', 'off'],
    fallback: 'on',
    about:
      'Whether forms get types of their own, made of their definitions. These are read with the gateway’s own credentials, which are needed for it in every mode; without any, `TYPED_SNAPSHOT` says them.',
  }),
  TYPED_FORMS: optionalText({
    unit: 'form id, …',
    about: 'The forms that get types; `*` in an id stands for any characters. Not set: all that the gateway may see.',
  }),
  TYPED_FORMS_EXCEPT: optionalText({
    unit: 'form id, …',
    about: 'Forms that get none, written likewise; they stay in the generic graph.',
  }),
  TYPED_RULES: optionalText({
    unit: 'component@version, …',
    about:
      'Rules that get mutations of their own, made of their input parameters, such as `approval-level@1.0`. Not set: none; `executeRule` executes any.',
  }),
  TYPED_ALIASES: optionalText({
    unit: 'JSON file',
    about: 'Names of types and fields that somebody chose, by form. Not set: all follow from the platform’s names.',
  }),
  TYPED_SNAPSHOT: optionalText({
    unit: 'JSON file',
    about: 'Where definitions are kept, so that the gateway can start while the platform is down.',
  }),
  TYPED_WATCH_MS: integer({
    from: 0,
    to: 86_400_000,
    fallback: 300_000,
    unit: 'milliseconds',
    about: 'How often it is asked whether definitions have changed; then types change too. 0: never.',
  }),
} as const;
