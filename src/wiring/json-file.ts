import { readFileSync } from 'node:fs';

/** What a JSON file was found to be: its value, or why it cannot be read. */
export type JsonFile = { readonly value: unknown } | { readonly problem: string };

/** Reads a JSON file that a setting names. */
export function readJsonFile(path: string): JsonFile {
  try {
    return { value: JSON.parse(readFileSync(path, 'utf8')) };
  } catch (error) {
    return { problem: `cannot read ${path}: ${error instanceof Error ? error.message : 'unknown error'}` };
  }
}
