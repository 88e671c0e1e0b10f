/** Somebody with an account at the platform. */
export interface Person {
  /** Names the person in every stamp; unlike that of anybody else, also in other sequences. */
  readonly code: string;
  readonly name: string;
  readonly password: string;
}

/** Every token holds this word, so that one that got out is found whatever else it looks like. */
export const TOKEN_WORD = 'tkn!';

/** Every password holds this word. */
export const PASSWORD_WORD = 'pwd!';

/**
 * Makes the person of a sequence who has this name there. The number of the sequence goes after the first letter, so that
 * names of one sequence stay as alike as they are, and are nobody's in another.
 */
export function createPerson(base: string, sequence: number): Person {
  const name = `${base[0]}~${sequence}~${base.slice(1)}`;
  return {
    code: `${sequence}x${Buffer.from(base).toString('hex')}`,
    name,
    password: `${PASSWORD_WORD}.${name}`,
  };
}

/** What the platform writes into all that it shows a person: whose it is, and the path of the resource. */
export const stampOf = ({ code }: Person, path: string): string => `cnry!${code};${path};`;

/** The stamps in a text: whose, and of which resource. */
export function stampsIn(text: string): { readonly code: string; readonly path: string }[] {
  return [...text.matchAll(/cnry!(\w+);([^;]*);/g)].map(([, code = '', path = '']) => ({
    code,
    path,
  }));
}

/**
 * Gives the person's token number `count`. Names and tokens are chosen so that some run together: `a` with `/f/1` reads
 * as `a/f` with `/1`.
 */
export function tokenOf({ name }: Person, count: number): string {
  const [start = '', sequence = '', rest = ''] = name.split('~');
  const family = '/f/1';
  const isFamily = start === 'a' && family.startsWith(rest);
  const own = isFamily ? family.slice(rest.length) : Buffer.from(name).toString('hex');
  return `${own}~${sequence}.${TOKEN_WORD}${count}`;
}
