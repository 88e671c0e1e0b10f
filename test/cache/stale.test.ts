import { describe, expect, it } from 'vitest';
import { KEY, openTimed, type Reads } from './support/open.ts';

const look = ({ instance }: Reads) => instance(KEY);
const STALE = { staleIfErrorMs: 60_000 };

describe('a read that fails', () => {
  it.each([
    ['by 500', { status: 500 }],
    ['by the request limit', { status: 403, body: { errorCode: 'REQUEST_LIMIT_EXCEEDED' } }],
  ])(
    'is served from a stale copy, and marked so, where that is allowed: %s',
    async (_what, failure) => {
      const { run, pass, failNext } = await openTimed(STALE);
      const { got } = await run(look);
      pass(59_000);
      failNext(failure);

      const second = await run(look);

      expect(second.got).toEqual(got);
      expect(second.requestState.stale).toEqual([{ operation: 'getFormIntance', ageMs: 59_000 }]);
    },
  );

  it.each([
    ['it is not allowed', {}, 1_000, { status: 500 }, 'failed'],
    ['the copy is too old', STALE, 60_001, { status: 500 }, 'failed'],
    ['the platform refuses', STALE, 1_000, { status: 403 }, 'forbidden'],
    ['the response is unreadable', STALE, 1_000, { status: 200, body: '"text"' }, 'malformed'],
  ])('fails when %s', async (_what, options, ageMs, failure, expected) => {
    const { run, pass, failNext } = await openTimed(options);
    await run(look);
    pass(ageMs);
    failNext(failure);

    await expect(run(look)).rejects.toMatchObject({ failure: expected });
  });

  it('is null when the platform has no such record', async () => {
    const { run, failNext } = await openTimed(STALE);
    await run(look);
    failNext({ status: 404 });

    expect((await run(look)).got).toBeUndefined();
  });

  it.each([
    ['may no longer see it', [{ status: 403 }]],
    ['is no longer authenticated', [{ status: 401 }, { status: 401 }]],
  ])('has no stale copy once the caller %s', async (_what, refusals) => {
    const { run, failNext } = await openTimed(STALE);
    await run(look);
    failNext(...refusals);
    await run(look).catch(() => undefined);
    failNext({ status: 500 });

    await expect(run(look)).rejects.toMatchObject({ failure: 'failed' });
  });

  it('drops all copies of a caller whom the platform refuses', async () => {
    const { run, failNext, requests } = await openTimed({ ...STALE, definitionsMs: 60_000 });
    const form = ({ form }: Reads) => form('a');
    await run(form);
    failNext({ status: 401 }, { status: 401 });
    await run(look).catch(() => undefined);

    await run(form);

    expect(requests.at(-1)?.target).toBe('/v1.0/forms/a');
  });
});
