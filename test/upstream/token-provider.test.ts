import { describe, expect, it, vi } from 'vitest';

import { UpstreamError, type UpstreamFailure } from '../../src/core/errors.ts';
import { createTokenProvider, type Token } from '../../src/upstream/token-provider.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Creates a source of tokens that live for a minute. The test sets the clock and the failure. */
function open({
  random = 0.5,
  failure,
}: {
  readonly random?: number;
  readonly failure?: UpstreamFailure;
} = {}) {
  const state = { nowMs: 0, failure };
  const issue = vi.fn(async (_latest: Token | undefined): Promise<Token> => {
    if (state.failure) throw new UpstreamError(state.failure, { operation: 'getToken' });
    return { authorization: `token-${issue.mock.calls.length}`, expiresAtMs: state.nowMs + 60_000 };
  });
  const tokens = createTokenProvider({ issue, now: () => state.nowMs, random: () => random });
  const current = async () => {
    try {
      return (await tokens.current()).authorization;
    } catch (error) {
      return (error as UpstreamError).failure;
    }
  };
  /** Requests the current token a hundred times a second. */
  const askFor = async (ms: number) => {
    for (const endMs = state.nowMs + ms; state.nowMs < endMs; state.nowMs += 10) {
      await current();
      await settled();
    }
  };
  return { tokens, issue, state, current, askFor };
}

describe('the token source', () => {
  it('renews ahead of expiry in the background while callers use the current token', async () => {
    const { issue, state, current } = open();
    await current();

    state.nowMs = 48_000;
    const meanwhile = await Promise.all([current(), current()]);
    await settled();

    expect(meanwhile).toEqual(['token-1', 'token-1']);
    expect(issue).toHaveBeenCalledTimes(2);
    expect(await current()).toBe('token-2');
  });

  it.each([
    [0, 42_000],
    [0.5, 48_000],
    [0.999_999, 54_000],
  ])(
    'spreads renewals by jitter: with the random number %d at %i ms of 60,000',
    async (random, renewAtMs) => {
      const { issue, state, current } = open({ random });
      await current();

      state.nowMs = renewAtMs - 10;
      await current();
      const before = issue.mock.calls.length;
      state.nowMs = renewAtMs + 10;
      await current();

      expect([before, issue.mock.calls.length]).toEqual([1, 2]);
    },
  );

  it('makes callers wait for a new token after the current one expired', async () => {
    const { state, current } = open();
    await current();

    state.nowMs = 60_000;

    expect(await Promise.all([current(), current()])).toEqual(['token-2', 'token-2']);
  });

  it('keeps the newer token when an older one is discarded late', async () => {
    const { tokens, issue, current } = open();
    const old = await tokens.current();
    tokens.discard(old);
    await tokens.current();

    tokens.discard(old);

    expect(await current()).toBe('token-2');
    // The discarded token is not the latest one, even after the new token was refused.
    expect(issue.mock.calls.map(([latest]) => latest?.authorization)).toEqual([
      undefined,
      'token-1',
    ]);
  });

  it('lets callers after a discard join the renewal in progress', async () => {
    const { tokens, issue, state, current } = open();
    const held = await tokens.current();
    state.nowMs = 55_000;
    await tokens.current();

    tokens.discard(held);

    expect(await current()).toBe('token-2');
    expect(issue).toHaveBeenCalledTimes(2);
  });

  it('uses the current token until a renewal that is asked for has another one, and also where it fails', async () => {
    const { tokens, state, current } = open();
    await current();

    const renewed = tokens.renew();
    expect(await current()).toBe('token-1');
    await renewed;
    expect(await current()).toBe('token-2');

    state.failure = 'unauthenticated';
    await expect(tokens.renew()).rejects.toThrow('unauthenticated');
    expect(await current()).toBe('token-2');
  });

  it('requests another token after the one in flight, and despite a recent failure', async () => {
    const { tokens, issue, current } = open();
    issue.mockRejectedValueOnce(new UpstreamError('unauthenticated', { operation: 'getToken' }));
    const first = current();

    await tokens.renew();

    expect(await first).toBe('unauthenticated');
    expect(issue).toHaveBeenCalledTimes(2);
    expect(await current()).toBe('token-2');
  });
});

describe('refused credentials', () => {
  it.each([
    [0, 1_000],
    [0.5, 3_000],
    [1, 5_000],
  ])(
    'are not tried again, with jitter, and fail every caller: with the random number %d for %i ms',
    async (random, forMs) => {
      const { issue, current, askFor } = open({ random, failure: 'unauthenticated' });

      await askFor(forMs);
      const within = issue.mock.calls.length;
      await askFor(10);

      expect([within, issue.mock.calls.length]).toEqual([1, 2]);
      expect(await current()).toBe('unauthenticated');
    },
  );
});

describe('a failing token issuer', () => {
  it('is called ever more rarely, at last every five seconds', async () => {
    const { issue, askFor } = open({ random: 1, failure: 'unavailable' });

    await askFor(60_000);

    // At 0, then 0.25, 0.5, 1, 2 and 4 s after one another, then each 5 s.
    expect(issue).toHaveBeenCalledTimes(16);
  });

  it('does not affect callers while their token is valid', async () => {
    const { state, current, askFor } = open({ random: 1 });
    await current();
    state.failure = 'failed';

    state.nowMs = 55_000;
    await askFor(4_990);
    const last = await current();
    state.nowMs = 60_000;

    expect([last, await current()]).toEqual(['token-1', 'failed']);
  });

  it('is called soon again when it fails anew after recovering', async () => {
    const { issue, state, tokens, current, askFor } = open({ random: 1, failure: 'failed' });
    await askFor(20_000);
    state.failure = undefined;
    await askFor(5_010);
    const before = issue.mock.calls.length;
    tokens.discard(await tokens.current());
    state.failure = 'failed';

    await current();
    state.nowMs += 250;
    await current();

    expect(issue).toHaveBeenCalledTimes(before + 2);
  });
});
