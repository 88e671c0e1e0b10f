import { RequestError } from './request-error.ts';

/** How much a JSON text may hold. */
export interface JsonLimits {
  readonly depth: number;
  /** Members of all objects together. */
  readonly keys: number;
  /** In any one list. */
  readonly listItems: number;
  /** In any one string, as written. */
  readonly stringLength: number;
}

type Kind = keyof JsonLimits;

const WORDS: Readonly<Record<Kind, string>> = {
  depth: 'levels of lists and objects',
  keys: 'members of objects',
  listItems: 'items in a list',
  stringLength: 'characters in a string',
};

const TOKENS = /[{}[\],:]|"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[^\s{}[\],:"]+/g;

/**
 * Checks a JSON text before it is parsed, in one pass without recursion. What is no JSON is left to the parser to refuse.
 *
 * @throws {RequestError} for what holds too much; for a name that an object has twice, since readers differ in which they
 *   take; and for half of a surrogate pair, which is no character. It quotes nothing of the text.
 */
export function checkJson(text: string, limits: JsonLimits): void {
  const open: { readonly names: Set<string> | undefined; items: number }[] = [];
  let keys = 0;
  let isName = false;

  const check = (kind: Kind, found: number): void => {
    if (found <= limits[kind]) return;
    throw new RequestError(400, `Too many ${WORDS[kind]}: ${found} or more, and at most ${limits[kind]} are taken.`);
  };
  const push = (names: Set<string> | undefined): void => {
    open.push({ names, items: 1 });
    check('depth', open.length);
    isName = names !== undefined;
  };
  const separate = (): void => {
    const around = open.at(-1);
    isName = around?.names !== undefined;
    if (around !== undefined && !isName) check('listItems', ++around.items);
  };
  const addName = (name: string): void => {
    check('keys', ++keys);
    const names = open.at(-1)?.names;
    if (names?.has(name)) throw new RequestError(400, 'An object of the request has the same member twice.');
    names?.add(name);
  };
  const string = (token: string): void => {
    check('stringLength', token.length - 2);
    const value = token.includes('\\') ? readString(token) : token.slice(1, -1);
    if (!value.isWellFormed()) throw new RequestError(400, 'A string of the request holds half of a surrogate pair.');
    if (isName) addName(value);
  };

  const handlers: Readonly<Record<string, () => unknown>> = {
    '{': () => push(new Set()),
    '[': () => push(undefined),
    '}': () => open.pop(),
    ']': () => open.pop(),
    ',': separate,
    ':': () => {
      isName = false;
    },
  };
  for (const [token] of text.matchAll(TOKENS)) {
    if (token.startsWith('"')) string(token);
    else if (Object.hasOwn(handlers, token)) handlers[token]?.();
  }
}

/** What a string says; nothing where its escapes are wrong, which the parser tells. */
function readString(token: string): string {
  try {
    return JSON.parse(token);
  } catch {
    return '';
  }
}
