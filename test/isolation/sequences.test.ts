import { expect, it } from 'vitest';

import { findProblem } from './sequences.ts';
import { SEQUENCES, type Setup } from './support.ts';

const SETUPS: readonly Setup[] = [
  { mode: 'user', variant: 'A' },
  { mode: 'user', variant: 'B' },
  { mode: 'forward', variant: 'A' },
  { mode: 'forward', variant: 'B' },
];

it.each(SETUPS)(
  'no caller gets another’s data: $mode, variant $variant',
  { timeout: 3_600_000 },
  async (setup) => {
    const report = await findProblem(setup, { runs: Math.ceil(SEQUENCES / SETUPS.length) });

    expect(report).toBeUndefined();
  },
);
