import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { attack } from './attack.ts';
import { ATTACKS } from './cases.ts';
import { post, send } from './request.ts';
import { startTarget, type Target } from './target.ts';

/** The most memory that a process may gain through an attack. */
const GROWTH_MAX_BYTES = 64 * 1024 * 1024;

describe.each(Object.entries(ATTACKS))(
  'a production gateway under attack by its %s',
  (_kind, attacks) => {
    let target: Target;
    beforeAll(async () => {
      // The attacks of one kind share a target.
      target = await startTarget(attacks[0]);
    }, 120_000);
    afterAll(() => target.stop());

    it.each(attacks)(
      'responds as expected, leaks nothing, survives, and barely grows: $name',
      async (given) => {
        const { faults, growth } = await attack(target, given);

        expect(faults).toEqual([]);
        expect(growth).toBeLessThan(GROWTH_MAX_BYTES);
      },
      120_000,
    );

    it('still serves other clients afterwards', async () => {
      // Targets with caller keys accept this one.
      const asked = post(JSON.stringify({ query: '{ __typename }' }), {
        headers: { 'x-api-key': 'ann' },
      });

      expect(await send(target.url, asked)).toMatchObject({ status: 200 });
    });
  },
);
