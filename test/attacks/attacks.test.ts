import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { attack } from './attack.ts';
import { ATTACKS } from './cases.ts';
import { type Attack, ask, send } from './request.ts';
import { startTarget, type Target } from './target.ts';

/** How much more memory a process may hold after an attack. */
const GROWTH_MAX_BYTES = 64 * 1024 * 1024;

describe.each(Object.entries(ATTACKS))('a process in production, attacked by its %s', (_kind, attacks) => {
  let target: Target;
  beforeAll(async () => {
    target = await startTarget();
    // A flood's garbage makes the heap grow once, by more than is allowed here; what is asserted is that it then stays.
    for (const flood of attacks.filter(({ isFlood }) => isFlood)) await attack(target, flood);
  }, 120_000);
  afterAll(() => target.stop());

  it.each(attacks)(
    'answers as it should, says nothing it should not, and lives on, hardly larger: $name',
    async (given) => {
      const { faults, growth } = await attack(target, given);

      expect(faults).toEqual([]);
      expect(given.isFlood ? await leastGrowth(target, given, growth) : growth).toBeLessThan(GROWTH_MAX_BYTES);
    },
    120_000,
  );

  it('answers others afterwards', async () => {
    expect(await send(target.url, ask('{ forms { totalCount } }'))).toMatchObject({ status: 200 });
  });
});

/** What a flood keeps it keeps each time that it comes; what is garbage is gone by then, or used again. */
async function leastGrowth(target: Target, flood: Attack, growth: number): Promise<number> {
  let least = growth;
  for (let again = 0; again < 2 && least >= GROWTH_MAX_BYTES; again++) {
    least = Math.min(least, (await attack(target, flood)).growth);
  }
  return least;
}
