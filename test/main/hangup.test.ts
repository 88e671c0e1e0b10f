import { describe, expect, it } from 'vitest';

import { executeAs } from '../identity/support.ts';
import { keyEntries, READ, replaceFile, writeFiles } from '../reload/support.ts';
import { runMain } from '../support/run.ts';

const ENV = { PORT: '0', SANDBOX_FILE: ':memory:', TYPED_FORMS: 'none' };
const LISTENING = /GraphQL at (\S+)\/graphql/;

const statusAt = async (url: string, key: string) =>
  (await executeAs(url, READ, { 'x-api-key': key })).status;

describe('SIGHUP', () => {
  it('does not end a gateway without a terminal', async () => {
    const run = runMain([], { ...ENV, LOG_LEVEL: 'silent' });
    const url = await run.printed(LISTENING);

    run.stop('SIGHUP');
    const status = await statusAt(url, 'any');
    run.stop('SIGHUP');
    run.stop('SIGTERM');

    expect(status).toBe(200);
    expect((await run.ended).code).toBe(0);
  });

  it('reads its files again at each SIGHUP, also one that comes while it does', async () => {
    const { at, env } = writeFiles();
    const run = runMain([], { ...env, ...ENV });
    const url = await run.printed(LISTENING);

    for (const key of ['first', 'second', 'third']) {
      replaceFile(at('keys'), keyEntries('web', key));
      for (let times = 0; times < 3; times++) run.stop('SIGHUP');
      await expect.poll(() => statusAt(url, key)).toBe(200);
    }
    run.stop('SIGTERM');

    expect((await run.ended).code).toBe(0);
  });
});
