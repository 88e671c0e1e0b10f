import { expect, it } from 'vitest';

import { createPlot, type PlantedLeak } from './plant.ts';
import { prove } from './proof.ts';
import { LEAK_RUNS, LEAK_SEED } from './settings.ts';

const SETUP = { mode: 'user', variant: 'B' } as const;
const plant = createPlot();

/** Faults in the code that extensions use. The proof must find each. */
const LEAKS: Readonly<Record<string, PlantedLeak>> = {
  'what an extension gets is others’ as well': [
    'features/extensions/own-copy.ts',
    "if (typeof value !== 'object' || value === null) return value;",
    'if (value !== undefined) return value;',
  ],
  'a context serves the next caller as well': [
    'features/extensions/context.ts',
    'return options.calls > 0 ? create : perOperation(create);',
    'let made: Context | undefined; return (operation) => (made ??= create(operation));',
  ],
  'answers with own fields are kept for any caller': [
    'features/extensions/resolvers.ts',
    'return run(operation, convertMembers(field.args, given), source, read);',
    `const kept = (field.kept ??= new Map());
    const key = JSON.stringify(given);
    if (!kept.has(key)) kept.set(key, run(operation, convertMembers(field.args, given), source, read));
    return kept.get(key);`,
  ],
};

it.each(Object.entries(LEAKS))(
  'the isolation check detects when %s',
  { timeout: 600_000 },
  async (_what, leak) => {
    const options = { runs: LEAK_RUNS, seed: LEAK_SEED, isShrinking: false, root: plant(leak) };
    const { problems, seed } = await prove(SETUP, options);

    expect(problems, `seed ${seed}`).not.toEqual([]);
  },
);
