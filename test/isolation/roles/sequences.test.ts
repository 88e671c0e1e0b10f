import { expect, it } from 'vitest';

import { findFailure, SEQUENCES } from '../support.ts';
import { createProperty, endsStream, startRoles } from './commands.ts';

it('no role gets the rights or the data of another', { timeout: 3_600_000 }, async () => {
  const real = await startRoles();

  const report = await findFailure(createProperty(real), SEQUENCES);

  expect(report).toBeUndefined();

  const isEnded = await endsStream(real);
  real.run.stop();

  expect(isEnded).toBe(true);
  expect(await real.run.ended).toMatchObject({ code: 0, stderr: '' });
});
