import { readFileSync, statSync } from 'node:fs';

import { messageOf, orUndefined } from '../core/errors.ts';

/** No file that a setting names is meant to be larger: reading a gigabyte would stop the gateway. */
const MAX_FILE_BYTES = 16_777_216;

/** Reading one waits for its writer, and what it holds is there once. */
export const isPipe = (path: string): boolean =>
  orUndefined(() => statSync(path).isFIFO()) ?? false;

/** Gives the text of a file or pipe. @throws {Error} where it cannot be read, is something else, or has more than 16 MiB. */
export function readText(path: string): string {
  const stat = statSync(path);
  if (!stat.isFile() && !stat.isFIFO()) throw new Error('it is no file');
  if (stat.size > MAX_FILE_BYTES) throw new Error(`it has more than ${MAX_FILE_BYTES} bytes`);
  return readFileSync(path, 'utf8');
}

/** The value of a file, or every problem in it. */
export type FileReading<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** Reads a JSON file that a setting names. */
export function readJsonFile(path: string): FileReading<unknown> {
  try {
    const text = readText(path).replace(/^\uFEFF/, '');
    const value: unknown = JSON.parse(text, refusePrototype);
    const twice = findTwice(text);
    return twice === undefined
      ? { value }
      : { problems: [`${twice} stands twice in one object; keep one`] };
  } catch (error) {
    return { problems: [`cannot read ${path}: ${messageOf(error)}`] };
  }
}

/** Checks of objects leave out a member of this name, and say nothing. */
function refusePrototype(name: string, value: unknown): unknown {
  if (name === '__proto__') throw new Error('no member may be named __proto__');
  return value;
}

/** Gives the first member that an object of a JSON text has twice, quoted: the parser takes the last of them and says nothing. */
function findTwice(json: string): string | undefined {
  const open: Set<unknown>[] = [];
  for (const [token, colon] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*(:?))|[{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon) {
      const members = open.at(-1);
      const name: unknown = JSON.parse(token);
      if (members?.has(name)) return token;
      members?.add(name);
    }
  }
  return undefined;
}
