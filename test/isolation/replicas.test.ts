import { expect, it } from 'vitest';

import { prove } from './proof.ts';
import { SEED, SEQUENCES } from './settings.ts';
import { shareRedis } from './share-redis.ts';

it.each(['user', 'forward'] as const)(
  'no caller gets another’s data where replicas share Redis: %s',
  { timeout: 3_600_000 },
  async (mode) => {
    const runs = Math.ceil(SEQUENCES / 4);

    const proof = await prove({ mode, variant: 'B' }, { runs, seed: SEED, env: await shareRedis(), isShrinking: true });

    expect(proof.problems, `seed ${SEED}: ${JSON.stringify(proof.smallest)}`).toEqual([]);
  },
);
