import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { COVER } from './cover.ts';
import { ROWS } from './support/rows/index.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const covers = Object.entries(COVER).flatMap(([row, all]) => all.map((cover) => ({ row, ...cover })));

describe('the fault matrix', () => {
  it('has a test for each of its 62 rows', () => {
    const covered = new Set([...ROWS.map(({ row }) => row), ...Object.keys(COVER).map(Number)]);

    expect([...covered].sort((a, b) => a - b)).toEqual(Array.from({ length: 62 }, (_, index) => index + 1));
  });

  it.each(covers)('has row $row in $file: “$test”', ({ file, test }) => {
    expect(read(file)).toContain(test);
  });
});
