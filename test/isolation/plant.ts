import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const TREE = ['src', 'schema', 'package.json'];

/** A place of the program, and what stands there instead. */
export type PlantedLeak = readonly [file: string, before: string | RegExp, after: string];

/** Copies the program with a leak, until the test ends, and gives the folder. */
export function plant([file, before, after]: PlantedLeak): string {
  const folder = mkdtempSync(join(tmpdir(), 'caseway-leak-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const path of TREE) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  const place = join(folder, 'src', file);
  const text = readFileSync(place, 'utf8');
  expect(text.search(before instanceof RegExp ? before : new RegExp(RegExp.escape(before)))).not.toBe(-1);
  writeFileSync(place, text.replace(before, after));
  return folder;
}
