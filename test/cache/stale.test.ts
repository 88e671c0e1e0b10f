import { describe, expect, it } from 'vitest';

import type { Reads } from '../../src/cache/resources.ts';
import { KEY, openTimed } from './support/open-timed.ts';

const look = ({ instance }: Reads) => instance(KEY);
const STALE = { staleIfErrorMs: 60_000 };

describe('a read that fails', () => {
  it.each([
    ['by 500', { status: 500 }],
    ['by 503', { status: 503 }],
    ['by the request limit', { status: 403, body: { errorCode: 'REQUEST_LIMIT_EXCEEDED' } }],
  ])('is answered by an older copy, and marked, where that is allowed: %s', async (_what, failure) => {
    const { run, pass, failNext } = await openTimed(STALE);
    const { got } = await run(look);
    pass(59_000);
    failNext(failure);

    const second = await run(look);

    expect(second.got).toEqual(got);
    expect(second.stats.stale).toEqual([{ operation: 'getFormIntance', ageMs: 59_000 }]);
  });

  it.each([
    ['it is not allowed', {}, 1_000, { status: 500 }, 'failed'],
    ['the copy is older than it may be', STALE, 60_001, { status: 500 }, 'failed'],
    ['the platform refuses', STALE, 1_000, { status: 403 }, 'forbidden'],
    ['the answer cannot be read', STALE, 1_000, { status: 200, body: '"text"' }, 'malformed'],
  ])('fails, where %s', async (_what, options, ageMs, failure, expected) => {
    const { run, pass, failNext } = await openTimed(options);
    await run(look);
    pass(ageMs);
    failNext(failure);

    await expect(run(look)).rejects.toMatchObject({ failure: expected });
  });

  it('is nothing where the platform has nothing', async () => {
    const { run, failNext } = await openTimed(STALE);
    await run(look);
    failNext({ status: 404 });

    expect((await run(look)).got).toBeUndefined();
  });

  it.each([
    ['may not see it any more', [{ status: 403 }]],
    ['is not let in any more', [{ status: 401 }, { status: 401 }]],
  ])('has no copy to fall back on once the caller %s', async (_what, refusals) => {
    const { run, failNext } = await openTimed(STALE);
    await run(look);
    failNext(...refusals);
    await run(look).catch(() => undefined);
    failNext({ status: 500 });

    await expect(run(look)).rejects.toMatchObject({ failure: 'failed' });
  });
});
