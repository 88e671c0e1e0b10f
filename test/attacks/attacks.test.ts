import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { attack } from './attack.ts';
import { ATTACKS } from './cases.ts';
import { ask, send } from './request.ts';
import { startTarget, type Target } from './target.ts';

/** How much more memory a process may hold after all attacks of a kind. */
const GROWTH_MAX_BYTES = 64 * 1024 * 1024;

describe.each(Object.entries(ATTACKS))('a process in production, attacked by its %s', (_kind, attacks) => {
  let target: Target;
  let before: number;
  beforeAll(async () => {
    target = await startTarget();
    for (const flood of attacks.filter(({ isFlood }) => isFlood)) await attack(target, flood);
    before = target.memory();
  }, 120_000);
  afterAll(() => target.stop());

  it.each(attacks)(
    'answers as it should, says nothing it should not, and lives on: $name',
    async (given) => {
      expect((await attack(target, given)).faults).toEqual([]);
    },
    60_000,
  );

  it('answers others afterwards, and has hardly grown', async () => {
    expect(await send(target.url, ask('{ forms { totalCount } }'))).toMatchObject({ status: 200 });
    expect(target.memory() - before).toBeLessThan(GROWTH_MAX_BYTES);
  });
});
