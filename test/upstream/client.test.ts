import { describe, expect, it } from 'vitest';

import { UpstreamError, type UpstreamFailure } from '../../src/core/errors.ts';
import { RequestState } from '../../src/core/request-state.ts';
import type { Call, HttpResponse } from '../../src/upstream/call.ts';
import { createRetry } from '../../src/upstream/resilience.ts';
import { dialectOf, failureOf, OK, openPlatform, READ } from './support/open.ts';

const FORM = { status: 200, body: { idForm: 'a' } };
const EXPIRED = { status: 401, body: { message: 'The session has expired', errorCode: 'SESSION' } };

describe('a 401 for an expired or invalid session or token', () => {
  it('is answered by a new token also where a 304 to no condition came before it', async () => {
    const replies = [{ status: 304 }, EXPIRED];
    const { readForm, requests, signedIn } = await openPlatform(
      () => replies[requests.length - 1] ?? FORM,
    );

    await readForm();

    expect([requests.length, signedIn.length]).toEqual([3, 2]);
  });

  it('for one resource does not affect others', async () => {
    const { readForm, signedIn } = await openPlatform(({ target }) =>
      target.endsWith('/odd') ? EXPIRED : { status: 200, body: { idForm: 'even' } },
    );
    await failureOf(readForm('odd'));

    const [odd, even] = await Promise.allSettled([readForm('odd'), readForm('even')]);

    expect([odd.status, even.status]).toEqual(['rejected', 'fulfilled']);
    expect(signedIn).toHaveLength(2);
  });

  it('fails with the renewal’s error when the renewal fails', async () => {
    const { readForm, signedIn } = await openPlatform(EXPIRED, {
      issue: () =>
        signedIn.length === 1 ? { status: 200, body: { token: 't' } } : { status: 500 },
    });

    expect(await failureOf(readForm())).toMatchObject({ failure: 'failed', operation: 'getToken' });
  });
});

describe('the tries of a read', () => {
  /**
   * Creates reads that meet these failures in order, and then succeed. `tries` has the rest of the
   * 10 s at each try.
   */
  function openRetry(...failures: readonly UpstreamFailure[]) {
    const tries: { readonly restMs: number; readonly startedAtMs: number | undefined }[] = [];
    const left = [...failures];
    const send = createRetry(
      10_000,
      () => false,
    )(async (call: Call): Promise<HttpResponse> => {
      tries.push({
        restMs: Math.round(call.endsAtMs - performance.now()),
        startedAtMs: call.startedAtMs,
      });
      call.startedAtMs = performance.now();
      const failure = left.shift();
      if (failure) throw new UpstreamError(failure, { operation: call.operation });
      return OK;
    });
    return { tries, read: () => send({ ...READ, headers: {}, endsAtMs: 0 }) };
  }

  it('have half of the deadline for the first, and the rest for the second', async () => {
    const { tries, read } = openRetry('timeout');

    await read();

    const [first, second] = tries.map(({ restMs }) => restMs);
    expect(first).toBeLessThanOrEqual(5_000);
    expect(second).toBeGreaterThan(5_000);
    expect(second).toBeLessThanOrEqual(10_000);
  });

  it('are one, with the whole deadline, while no retry is left', async () => {
    // A read whose connection broke is retried at once.
    const { tries, read } = openRetry(...Array(21).fill('unavailable'));
    for (let count = 0; count < 11; count++) await failureOf(read());

    await read();

    expect(tries).toHaveLength(22);
    expect(tries.slice(-2).map(({ restMs }) => restMs > 5_000)).toEqual([true, true]);
  });

  it('begin anew, as one that has not met the host, which may time out in the queue', async () => {
    const { tries, read } = openRetry('malformed');

    await read();

    expect(tries.map(({ startedAtMs }) => startedAtMs)).toEqual([undefined, undefined]);
  });
});

describe('a cancelled call', () => {
  it('is not sent when its token arrives', async () => {
    const controller = new AbortController();
    const { readForm, requests } = await openPlatform(FORM, {
      issue: () => {
        controller.abort();
        return { status: 200, body: { token: 't' } };
      },
    });

    const error = await failureOf(
      readForm('a', { requestState: new RequestState({ signal: controller.signal }) }),
    );

    expect(error.failure).toBe('cancelled');
    expect(requests).toEqual([]);
  });

  it('is not retried', async () => {
    const leaver = new AbortController();
    const { readForm, requests } = await openPlatform(() => {
      leaver.abort();
      return { status: 500 };
    });

    const error = await failureOf(
      readForm('a', { requestState: new RequestState({ signal: leaver.signal }) }),
    );

    expect(error.failure).toBe('cancelled');
    expect(requests).toHaveLength(1);
  });
});

describe('the validator of a record', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toUTCString();
  const validatorOf = async (headers: Readonly<Record<string, string>>, file = {}) => {
    const { readForm } = await openPlatform({ ...FORM, headers }, { dialect: dialectOf(file) });
    const result = await readForm();
    return result === undefined ? 'not modified' : result.validator;
  };

  it.each([
    [
      'its Last-Modified, which is two seconds old',
      { 'last-modified': at(8), date: at(10) },
      at(8),
    ],
    [
      'nothing, where its Last-Modified is one second old',
      { 'last-modified': at(9), date: at(10) },
      undefined,
    ],
    [
      'nothing, where its Last-Modified is yet to come',
      { 'last-modified': at(15), date: at(10) },
      undefined,
    ],
    ['two seconds before its Date, where it has no Last-Modified', { date: at(10) }, at(8)],
    [
      'nothing, where its Date cannot be read',
      { 'last-modified': at(0), date: 'today' },
      undefined,
    ],
    [
      'nothing, where its Last-Modified cannot be read',
      { 'last-modified': 'yesterday', date: at(10) },
      undefined,
    ],
  ])('is %s', async (_what, headers, validator) => {
    expect(await validatorOf(headers)).toBe(validator);
  });

  it('is absent where the dialect says that nothing is to be asked so', async () => {
    const headers = { 'last-modified': at(0), date: at(10) };

    expect(await validatorOf(headers, { unchanged: { isAsked: false } })).toBeUndefined();
  });
});
