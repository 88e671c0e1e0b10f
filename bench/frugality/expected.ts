import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Calls } from './operation.ts';

const FILE = join(import.meta.dirname, 'expected.json');
const COLUMNS = ['naive', 'loaders', 'cold', 'warm', 'unchanged', 'fresh'] as const;

/** The calls of each operation, by its name. */
export type CallTable = Readonly<Record<string, Calls>>;

/** Gives the committed table. */
export function readExpected(): CallTable {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** Commits to a table: one operation a line, so that a change shows as one. */
export function writeExpected(table: CallTable): void {
  const lines = Object.entries(table).map(([name, calls]) => `  ${JSON.stringify(name)}: ${rowOf(calls)}`);
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
}

/** Says what two tables differ in, more calls as well as fewer: a committed table is true, or it is no promise. */
export function differences(expected: CallTable, counted: CallTable): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(counted)])];
  return names.flatMap((name) => {
    const [before, now] = [expected[name], counted[name]];
    if (before === undefined || now === undefined) return [`${name}: ${now === undefined ? 'gone' : 'new'}`];
    return COLUMNS.filter((column) => before[column] !== now[column]).map(
      (column) => `${name}: ${column} ${before[column]} → ${now[column]}`,
    );
  });
}

const rowOf = (calls: Calls) =>
  `{ ${COLUMNS.map((column) => `${JSON.stringify(column)}: ${calls[column]}`).join(', ')} }`;
