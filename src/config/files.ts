import { readFileSync, statSync } from 'node:fs';

import { codeOrMessage, orUndefined } from '../core/errors.ts';

/** The largest file of a setting. Reading a gigabyte would block the gateway. */
const MAX_FILE_BYTES = 16_777_216;

/**
 * Returns whether a path is a named pipe. Reading one waits for its writer, and its content can be
 * read only once.
 */
export const isPipe = (path: string): boolean =>
  orUndefined(() => statSync(path).isFIFO()) ?? false;

/**
 * Returns the text of a file or pipe.
 *
 * @throws {Error} if it cannot be read, is not a file or pipe, or has more than 16 MiB.
 */
export function readText(path: string): string {
  const stat = statSync(path);
  if (!stat.isFile() && !stat.isFIFO()) throw new Error('it is no file');
  if (stat.size > MAX_FILE_BYTES) throw new Error(`it has more than ${MAX_FILE_BYTES} bytes`);
  return readFileSync(path, 'utf8');
}

/** The value of a file, or all its problems. */
export type FileReading<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** Reads the JSON file of a setting. */
export function readJsonFile(path: string): FileReading<unknown> {
  try {
    const text = readText(path).replace(/^\uFEFF/, '');
    const value: unknown = JSON.parse(text, refusePrototype);
    const twice = findTwice(text);
    return twice === undefined
      ? { value }
      : { problems: [`${twice} stands twice in one object; keep one`] };
  } catch (error) {
    return { problems: [`cannot be read: ${codeOrMessage(error)}`] };
  }
}

/** Refuses a member `__proto__`, because checks of objects silently ignore it. */
function refusePrototype(name: string, value: unknown): unknown {
  if (name === '__proto__') throw new Error('no member may be named __proto__');
  return value;
}

/**
 * Returns the first duplicate member in an object of a JSON text, quoted. JSON.parse would silently
 * use the last one.
 */
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
