import { expect, it } from 'vitest';

import { startRedis } from '../support/redis.ts';
import { prove } from './proof.ts';
import { SEED, SEQUENCES } from './settings.ts';

it.each(['user', 'forward'] as const)(
  'no caller gets another’s data, or what an extension has changed, from two replicas that share Redis: %s',
  { timeout: 3_600_000 },
  async (mode) => {
    const runs = Math.ceil(SEQUENCES / 4);
    const { url } = await startRedis();

    const options = { runs, seed: SEED, env: { REDIS_URL: url }, replicas: 2, isShrinking: true };
    const proof = await prove({ mode, variant: 'B' }, options);

    expect(proof.problems, `seed ${SEED}: ${JSON.stringify(proof.smallest)}`).toEqual([]);
  },
);
