import { expect, it } from 'vitest';

import { SEED, SEQUENCES } from '../settings.ts';
import { proveRoles } from './proof.ts';

it('no role gets what is another’s', { timeout: 3_600_000 }, async () => {
  const { played, problems, sequence } = await proveRoles({ runs: SEQUENCES, seed: SEED });

  process.stdout.write(`roles: ${played} sequences, seed ${SEED}\n`);
  expect(problems, `seed ${SEED}: ${JSON.stringify(sequence)}`).toEqual([]);
});
