import { expect, it } from 'vitest';

import { writeFolder } from '../../../support/folder.ts';
import { runMain } from '../../../support/run.ts';

it('an unreadable extension makes startup fail with code 2, its file and the reason', async () => {
  const folder = writeFolder({ 'own.ts': 'export default {' });
  const env = { SANDBOX_FILE: ':memory:', PORT: '0', EXTENSIONS: folder };

  const { code, stderr } = await runMain([], env).ended;

  expect(code).toBe(2);
  expect(stderr).toMatch(/^Invalid configuration:\n {2}- EXTENSIONS: \S+own\.ts:1: \S+/m);
});
