import { createHash } from 'node:crypto';

/** Splits a text into words of ASCII letters and digits. Accents fall off their letters; other scripts are left out. */
export function wordsOf(text: string): readonly string[] {
  // Most names are one word, and large platforms have tens of thousands of them.
  if (ONE_WORD.test(text)) return [text];
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
}

const ONE_WORD = /^[A-Za-z0-9]+$/;

/** Joins words as `PascalCase`, leaving capitals as they are. */
export const toPascal = (words: readonly string[]): string => words.map(capitalize).join('');

export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
export const uncapitalize = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1);

/**
 * Marks a name by a hash of what it is the name of. No name that is given without a mark looks like one that has it, so that
 * a marked name meets no other.
 */
export function mark(name: string, ...of: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(of)).digest('hex');
  return `${name}_${hash.slice(0, MARK_LENGTH)}`;
}

const MARK_LENGTH = 8;
const MARKED = /^(.+)(_[0-9a-f]{8})$/;

/** Whether a name looks like a marked one. */
export const isMarked = (name: string): boolean => MARKED.test(name);

/** Splits a name from its mark, which is empty where there is none. */
export function splitMark(name: string): readonly [stem: string, mark: string] {
  const [, stem = name, marked = ''] = MARKED.exec(name) ?? [];
  return [stem, marked];
}
