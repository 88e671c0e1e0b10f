import { expect, it } from 'vitest';

import { prove } from './proof.ts';
import { SEED, SEQUENCES } from './settings.ts';
import { shareRedis } from './share-redis.ts';

it.each(['user', 'forward'] as const)(
  'no caller gets another’s data, or what an extension has changed, from two replicas that share Redis: %s',
  { timeout: 3_600_000 },
  async (mode) => {
    const runs = Math.ceil(SEQUENCES / 4);

    const options = { runs, seed: SEED, env: await shareRedis(), replicas: 2, isShrinking: true };
    const proof = await prove({ mode, variant: 'B' }, options);

    expect(proof.problems, `seed ${SEED}: ${JSON.stringify(proof.smallest)}`).toEqual([]);
  },
);
