import { describe, expect, it } from 'vitest';

import { UpstreamError, type UpstreamFailure } from '../../src/core/errors.ts';
import { createTokenSource, type Token } from '../../src/upstream/token-source.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** An issuer that fails as long as the test says, and a source whose clock the test sets. */
function failing(failure: UpstreamFailure | undefined, random = 1) {
  const state = { nowMs: 0, calls: 0, failure };
  const issue = async (): Promise<Token> => {
    state.calls++;
    if (state.failure) throw new UpstreamError(state.failure, { operation: 'getToken' });
    return { authorization: `token-${state.calls}`, expiresAtMs: state.nowMs + 60_000 };
  };
  const tokens = createTokenSource({ issue, now: () => state.nowMs, random: () => random });
  const current = async () => {
    try {
      return (await tokens.current()).authorization;
    } catch (error) {
      return (error as UpstreamError).failure;
    }
  };
  /** Asks a hundred times a second. */
  const askFor = async (ms: number) => {
    for (const endMs = state.nowMs + ms; state.nowMs < endMs; state.nowMs += 10) {
      await current();
      await settled();
    }
  };
  return { state, tokens, current, askFor };
}

describe('refused credentials', () => {
  it.each([
    { random: 0, forMs: 1_000 },
    { random: 0.5, forMs: 3_000 },
    { random: 1, forMs: 5_000 },
  ])('are not tried again for $forMs ms, with jitter', async ({ random, forMs }) => {
    const { state, askFor } = failing('unauthenticated', random);

    await askFor(forMs);
    const within = state.calls;
    await askFor(10);

    expect([within, state.calls]).toEqual([1, 2]);
  });

  it('fail every caller with the first error', async () => {
    const { current } = failing('unauthenticated');

    expect([await current(), await current()]).toEqual(['unauthenticated', 'unauthenticated']);
  });
});

describe('a failing token issuer', () => {
  it('is called ever more rarely, at last every five seconds', async () => {
    const { state, askFor } = failing('unavailable');

    await askFor(60_000);

    // At 0, then 0.25, 0.5, 1, 2 and 4 s after one another, then each 5 s.
    expect(state.calls).toBe(16);
  });

  it('does not affect callers while their token is valid', async () => {
    const { state, current, askFor } = failing(undefined);
    await current();
    state.failure = 'failed';

    state.nowMs = 55_000;
    await askFor(4_990);
    const last = await current();
    state.nowMs = 60_000;

    expect([last, await current()]).toEqual(['token-1', 'failed']);
  });

  it('is called soon again when it fails anew after recovering', async () => {
    const { state, tokens, current, askFor } = failing('failed');
    await askFor(20_000);
    state.failure = undefined;
    await askFor(5_010);
    const before = state.calls;
    tokens.discard(await tokens.current());
    state.failure = 'failed';

    await current();
    state.nowMs += 250;
    await current();

    expect(state.calls).toBe(before + 2);
  });
});
