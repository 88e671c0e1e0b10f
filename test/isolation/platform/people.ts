/** A person with an account at the platform. */
export interface Person {
  /** The person's name in every stamp. It is unique among all sequences. */
  readonly code: string;
  readonly name: string;
  readonly password: string;
}

/** Part of every token, so that a leaked token is found. */
export const TOKEN_WORD = 'tkn!';

/** Part of every password. */
export const PASSWORD_WORD = 'pwd!';

/**
 * Creates the person with this name in a sequence. The number of the sequence goes after the first
 * letter: names of one sequence stay similar, and differ from all other sequences.
 */
export function createPerson(base: string, sequence: number): Person {
  const name = `${base[0]}~${sequence}~${base.slice(1)}`;
  return {
    code: `${sequence}x${Buffer.from(base).toString('hex')}`,
    name,
    password: `${PASSWORD_WORD}.${name}`,
  };
}

/**
 * Returns the stamp in everything that the platform shows a person: the person, and the path of the
 * resource.
 */
export const stampOf = ({ code }: Person, path: string): string => `cnry!${code};${path};`;

/** Returns the stamps in a text, each with its person and resource. */
export function stampsIn(text: string): { readonly code: string; readonly path: string }[] {
  return [...text.matchAll(/cnry!(\w+);([^;]*);/g)].map(([, code = '', path = '']) => ({
    code,
    path,
  }));
}

/**
 * Returns the person's token number `count`. Some names and tokens are equal when joined: `a` with
 * `/f/1` reads like `a/f` with `/1`.
 */
export function tokenOf({ name }: Person, count: number): string {
  const [start = '', sequence = '', rest = ''] = name.split('~');
  const family = '/f/1';
  const isFamily = start === 'a' && family.startsWith(rest);
  const own = isFamily ? family.slice(rest.length) : Buffer.from(name).toString('hex');
  return `${own}~${sequence}.${TOKEN_WORD}${count}`;
}
