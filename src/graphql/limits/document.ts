import { eachToken } from './tokens.ts';

/** How much a document may hold, told before it is parsed. */
export interface DocumentLimits {
  /** Comments included. */
  readonly tokens: number;
  /** How deep selections nest. */
  readonly depth: number;
  /** How deep lists and objects nest within arguments, and lists within types. */
  readonly valueDepth: number;
  readonly aliases: number;
  readonly directives: number;
  readonly operations: number;
  readonly fragments: number;
  readonly variables: number;
  /** In any one list. */
  readonly listItems: number;
  /** Two fields that go by the same name: validation compares each with each. */
  readonly pairs: number;
}

type Kind = keyof DocumentLimits;

const NAME = /^[A-Za-z_]/;

const WORDS: Readonly<Record<Kind, string>> = {
  tokens: 'tokens in the document',
  depth: 'levels of selections',
  valueDepth: 'levels of lists and objects in an argument',
  aliases: 'aliases in the document',
  directives: 'directives in the document',
  operations: 'operations in the document',
  fragments: 'fragments in the document',
  variables: 'variables of an operation',
  listItems: 'items in a list',
  pairs: 'pairs of fields that go by the same name',
};

/** Words what is too much. */
export const wordExcess = (what: string, found: number, most: number): string =>
  `Too many ${what}: ${found} or more, and at most ${most} are taken.`;

/**
 * Says in which way a document holds too much, `undefined` where it does not. One pass without recursion, and it stops at
 * the first excess; a document that is no GraphQL is read as far as it is.
 */
export function findExcess(text: string, limits: DocumentLimits): string | undefined {
  const count = createCounter(limits);
  eachToken(text, count.token);
  return count.excess();
}

function createCounter(limits: DocumentLimits) {
  const counts = { tokens: 0, aliases: 0, directives: 0, operations: 0, fragments: 0, variables: 0, pairs: 0 };
  /** How many fields go by each name, anywhere in the document. */
  const fields = new Map<string, number>();
  /** The brackets that are open within arguments and types; for a list, with the number of its items. */
  const values: { readonly isList: boolean; items: number }[] = [];
  let depth = 0;
  let isNewDefinition = true;
  let previous = '';
  let excess: string | undefined;

  const check = (kind: Kind, found: number): void => {
    if (found > limits[kind]) excess ??= wordExcess(WORDS[kind], found, limits[kind]);
  };
  const add = (kind: keyof typeof counts): void => check(kind, ++counts[kind]);
  const addItem = (): void => {
    const list = values.at(-1);
    if (list?.isList && previous !== '$') check('listItems', ++list.items);
  };
  const addName = (name: string): void => {
    // What follows these is a directive's name, a fragment's, a type's, or a field's that goes by its alias.
    if (depth === 0 || !NAME.test(name) || ['@', '...', 'on', ':'].includes(previous)) return;
    const before = fields.get(name) ?? 0;
    fields.set(name, before + 1);
    counts.pairs += before;
    check('pairs', counts.pairs);
  };
  const openValue = (isList: boolean): void => {
    addItem();
    values.push({ isList, items: 0 });
    // The arguments' own parentheses are no level.
    check('valueDepth', values.length - 1);
  };
  const closeValue = (): void => {
    values.pop();
  };
  const begin = (token: string): void => {
    if (!isNewDefinition || token.startsWith('#')) return;
    add(token === 'fragment' ? 'fragments' : 'operations');
    counts.variables = 0;
    isNewDefinition = false;
  };
  const openSelection = (): void => check('depth', ++depth);
  const closeSelection = (): void => {
    depth--;
    isNewDefinition = depth <= 0;
  };

  const punctuators: Readonly<Record<string, () => void>> = {
    '{': () => (values.length > 0 ? openValue(false) : openSelection()),
    '}': () => (values.length > 0 ? closeValue() : closeSelection()),
    '(': () => openValue(false),
    ')': closeValue,
    '[': () => openValue(true),
    ']': closeValue,
    ':': () => values.length === 0 && add('aliases'),
    '@': () => add('directives'),
    $: () => (depth === 0 && values.length === 1 ? add('variables') : addItem()),
  };

  return {
    token(token: string): boolean {
      add('tokens');
      begin(token);
      if (Object.hasOwn(punctuators, token)) punctuators[token]?.();
      else if (values.length > 0) addItem();
      else addName(token);
      previous = token;
      return excess === undefined;
    },
    excess: () => excess,
  };
}
