import { expect, it } from 'vitest';

import { prove } from './proof.ts';
import { IS_SHOWN, SEED, SEQUENCES } from './settings.ts';
import type { Setup } from './subject.ts';

const SETUPS: readonly Setup[] = [
  { mode: 'user', variant: 'A' },
  { mode: 'user', variant: 'B' },
  { mode: 'forward', variant: 'A' },
  { mode: 'forward', variant: 'B' },
];

const say = (line: string) => process.stdout.write(`${line}\n`);

it.each(SETUPS)(
  'no caller gets another’s data: $mode, variant $variant',
  { timeout: 3_600_000 },
  async (setup) => {
    const startedAtMs = Date.now();
    const runs = Math.ceil(SEQUENCES / SETUPS.length);
    const onSequence = (count: number) => {
      if (IS_SHOWN && count % 250 === 0)
        say(`  ${setup.mode} ${setup.variant}: ${count} of ${runs}`);
    };

    const proof = await prove(setup, { runs, seed: SEED, isShrinking: true, onSequence });

    const seconds = Math.round((Date.now() - startedAtMs) / 1_000);
    const figures = `${proof.runs} sequences, ${proof.requests} requests, ${proof.calls} calls to the platform, ${seconds} s`;
    say(`${setup.mode} ${setup.variant}: ${figures}, seed ${SEED}`);
    expect(proof.problems, `seed ${SEED}: ${JSON.stringify(proof.smallest)}`).toEqual([]);
  },
);
