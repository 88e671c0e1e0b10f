import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const TREE = ['src', 'schema', 'package.json'];

/** A place in the source code, and the text that replaces it. */
export type PlantedLeak = readonly [file: string, before: string | RegExp, after: string];

/**
 * Creates one folder for all leaks of a test file, so that Node reuses its compiled code. Returns a
 * function that plants a leak until the test ends, and returns the folder.
 */
export function createPlot(): (leak: PlantedLeak) => string {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'caseway-leak-'));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    for (const path of TREE) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return ([file, before, after]) => {
    const place = join(folder, 'src', file);
    const text = readFileSync(place, 'utf8');
    expect(
      text.search(before instanceof RegExp ? before : new RegExp(RegExp.escape(before))),
    ).not.toBe(-1);
    writeFileSync(place, text.replace(before, after));
    onTestFinished(() => writeFileSync(place, text));
    return folder;
  };
}
