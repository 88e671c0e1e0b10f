import { expect, it } from 'vitest';

import { prove } from './proof.ts';
import type { Setup } from './subject.ts';

const SETUPS: readonly Setup[] = [
  { mode: 'user', variant: 'A' },
  { mode: 'user', variant: 'B' },
  { mode: 'forward', variant: 'A' },
  { mode: 'forward', variant: 'B' },
];

const runs = Number(process.env['ISOLATION_SEQUENCES'] ?? 400) / SETUPS.length;
const seed = Number(process.env['ISOLATION_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

it.each(SETUPS)(
  'what one caller was told never reaches another: $mode, variant $variant',
  { timeout: 600_000 },
  async (setup) => {
    const startedAtMs = Date.now();

    const proof = await prove(setup, { runs, seed, isShrinking: true });

    process.stdout.write(
      `isolation ${setup.mode} ${setup.variant}: ${proof.runs} sequences, ${proof.requests} requests, ${proof.calls} calls to the platform, ${(Date.now() - startedAtMs) / 1_000} s, seed ${proof.seed}\n`,
    );
    expect(proof.problems, `seed ${proof.seed}: ${JSON.stringify(proof.smallest)}`).toEqual([]);
  },
);
