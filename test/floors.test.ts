import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { ALLOWED, FORBIDDEN } from './support/architecture/planted.ts';
import { RULES, type Rule } from './support/architecture/rules.ts';
import { parseFile } from './support/architecture/source.ts';

const SRC = join(import.meta.dirname, '../src');

const sources = globSync('**/*.ts', { cwd: SRC })
  .sort()
  .map((file) => parseFile({ file, source: readFileSync(join(SRC, file), 'utf8') }));

const forbidden = Object.entries(FORBIDDEN).flatMap(([rule, plants]) =>
  plants.map(([file, source]) => ({ rule: rule as Rule, file, source })),
);
const allowed = ALLOWED.map(([file, source]) => ({ file, source }));

describe('src', () => {
  it('has files to judge', () => {
    expect(sources.length).toBeGreaterThan(0);
  });

  it.each(Object.entries(RULES))('keeps the rule that %s', (_rule, faultsOf) => {
    expect(faultsOf(sources)).toEqual([]);
  });
});

describe('the rules', () => {
  it.each(forbidden)('that $rule catch in $file: $source', ({ rule, file, source }) => {
    expect(RULES[rule]([parseFile({ file, source })])).not.toEqual([]);
  });

  it.each(allowed)('let pass in $file: $source', ({ file, source }) => {
    const faults = Object.values(RULES).flatMap((faultsOf) => faultsOf([parseFile({ file, source })]));

    expect(faults).toEqual([]);
  });

  it('that no file needs itself see a circle of three files', () => {
    const circle = [
      { file: 'graph/a.ts', source: "import { b } from './b.ts';" },
      { file: 'graph/b.ts', source: "import { c } from '../loaders/c.ts';" },
      { file: 'loaders/c.ts', source: "import { a } from '../graph/a.ts';" },
    ].map(parseFile);

    expect(RULES['no file needs itself by way of others'](circle)).toHaveLength(3);
  });
});
