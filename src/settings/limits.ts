import { integer } from './setting.ts';

const limit = (fallback: number, unit: string, about: string) =>
  integer({ from: 1, to: 1_000_000, fallback, unit, about });

/** How much one request may hold; what holds more is refused before it costs anything. */
export const LIMIT_SETTINGS = {
  TOKENS_MAX: limit(2_000, 'tokens', 'The longest document, comments counted as well.'),
  DEPTH_MAX: limit(12, 'levels', 'How deep selections may nest.'),
  SELECTIONS_MAX: limit(5_000, 'selections', 'How many fields an operation may select, fragments put in.'),
  ROOT_FIELDS_MAX: limit(100, 'fields', 'How many fields an operation may have at its root.'),
  ALIASES_MAX: limit(200, 'aliases', 'How many aliases a document may have.'),
  DIRECTIVES_MAX: limit(100, 'directives', 'How many directives a document may have.'),
  OPERATIONS_MAX: limit(50, 'operations', 'How many operations a document may have.'),
  FRAGMENTS_MAX: limit(100, 'fragments', 'How many fragments a document may have.'),
  VARIABLES_MAX: limit(100, 'variables', 'How many variables an operation may define.'),
  PAIRS_MAX: limit(
    3_000,
    'pairs',
    'How many pairs of fields that go by the same name a document may have, since each is compared with each.',
  ),
  LIST_ITEMS_MAX: limit(1_000, 'items', 'The longest list in variables or arguments.'),
  JSON_DEPTH_MAX: limit(64, 'levels', 'How deep lists and objects may nest in a body or an argument.'),
  JSON_KEYS_MAX: limit(1_000, 'members', 'How many members the objects of a body may have together.'),
  STRING_MAX: limit(100_000, 'characters', 'The longest string in a body, the document included.'),
  COST_MAX_CALLS: limit(
    120,
    'calls',
    'How many calls to the platform an operation may cost at worst; computed before the first, and counted.',
  ),
  ANSWER_FIELDS_MAX: limit(20_000, 'fields', 'How many fields an answer may have at worst, computed from page sizes.'),
  ANSWER_LENGTH_MAX: integer({
    from: 1,
    to: 500_000_000,
    fallback: 16_000_000,
    unit: 'characters',
    about:
      'How many characters the values and aliases of an answer may have together; it is not given when they have more.',
  }),
  DOCUMENT_CACHE_MAX: limit(1_000, 'documents', 'How many parsed documents are kept.'),
} as const;
