import { expect, it } from 'vitest';

import { LEAKS } from './leaks.ts';
import { prove } from './proof.ts';
import { IS_SHOWN, LEAK_RUNS, LEAK_SEED } from './settings.ts';

it.each(Object.entries(LEAKS))(
  'the isolation check detects when %s',
  { timeout: 600_000 },
  async (name, leak) => {
    const { mode = 'user', variant = 'B' } = leak;

    const proof = await prove(
      { mode, variant },
      { runs: LEAK_RUNS, seed: LEAK_SEED, leak, isShrinking: IS_SHOWN },
    );

    const { runs, problems, smallest, seed } = proof;
    if (IS_SHOWN)
      process.stdout.write(
        `${name}: ${runs} runs\n  ${JSON.stringify(smallest)}\n  ${problems[0]}\n`,
      );
    expect(problems, `seed ${seed}`).not.toEqual([]);
  },
);
