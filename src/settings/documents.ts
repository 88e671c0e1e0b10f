import { choice, integer, optionalText } from './setting.ts';

/** Which documents are known by a name, and whether others may be asked. */
export const DOCUMENT_SETTINGS = {
  DOCUMENTS: optionalText({
    unit: 'folder, file',
    about: 'Trusted documents: a folder of `.graphql` files and `.json` manifests, or one manifest.',
  }),
  DOCUMENTS_MODE: choice({
    words: ['off', 'log', 'enforce'],
    fallback: 'off',
    about: 'What becomes of other documents: `off` runs them, `log` runs and logs them, `enforce` refuses them.',
  }),
  CACHE_CONTROL: choice({
    words: ['off', 'private', 'public'],
    fallback: 'private',
    about:
      'Who may keep the answer of a query by GET: nobody, the caller’s cache, or also shared ones; that only where everybody may ask and gets the same answers.',
  }),
  APQ_MAX: integer({
    from: 0,
    to: 1_000_000,
    fallback: 1_000,
    unit: 'documents',
    about: 'How many documents that clients send with their hash are kept, to be asked by it (APQ); 0 turns that off.',
  }),
  APQ_MAX_BYTES: integer({
    from: 1_024,
    to: 1_073_741_824,
    fallback: 8_388_608,
    unit: 'bytes',
    about: 'How much memory these documents take together; those that were not asked for longest go first.',
  }),
} as const;
