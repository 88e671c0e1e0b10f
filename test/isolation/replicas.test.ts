import { expect, it } from 'vitest';

import { startRedis } from '../support/redis.ts';
import { findProblem } from './sequences.ts';
import { SEQUENCES } from './support.ts';

it.each(['user', 'forward'] as const)(
  'no caller gets another’s data, or data that an extension has changed, from two replicas that share Redis: %s',
  { timeout: 3_600_000 },
  async (mode) => {
    const { url } = await startRedis();

    const report = await findProblem(
      { mode, variant: 'B' },
      { runs: Math.ceil(SEQUENCES / 4), env: { REDIS_URL: url }, replicas: 2 },
    );

    expect(report).toBeUndefined();
  },
);
