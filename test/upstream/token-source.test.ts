import { describe, expect, it, vi } from 'vitest';

import { createTokenSource, type Token } from '../../src/upstream/token-source.ts';

/** An issuer of tokens that live for a minute of a clock that the test sets. */
function issuer(random: () => number = () => 0.5) {
  const clock = { nowMs: 0 };
  let count = 0;
  const issue = vi.fn(
    async (): Promise<Token> => ({ authorization: `token-${++count}`, expiresAtMs: clock.nowMs + 60_000 }),
  );
  const tokens = createTokenSource({ issue, now: () => clock.nowMs, random });
  const current = async () => (await tokens.current()).authorization;
  return { tokens, issue, clock, current };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the token source', () => {
  it('renews ahead of expiry in the background while callers use the current token', async () => {
    const { issue, clock, current } = issuer();
    await current();

    clock.nowMs = 48_000;
    const meanwhile = await Promise.all([current(), current()]);
    await settled();

    expect(meanwhile).toEqual(['token-1', 'token-1']);
    expect(issue).toHaveBeenCalledTimes(2);
    expect(await current()).toBe('token-2');
  });

  it.each([
    { share: 'the earliest', random: 0, renewAtMs: 42_000 },
    { share: 'the middle', random: 0.5, renewAtMs: 48_000 },
    { share: 'the latest', random: 0.999_999, renewAtMs: 54_000 },
  ])('spreads renewals by jitter: $share is at $renewAtMs ms of 60,000', async ({ random, renewAtMs }) => {
    const { issue, clock, current } = issuer(() => random);
    await current();

    clock.nowMs = renewAtMs - 10;
    await current();
    const before = issue.mock.calls.length;
    clock.nowMs = renewAtMs + 10;
    await current();

    expect([before, issue.mock.calls.length]).toEqual([1, 2]);
  });

  it('makes callers wait for a new token after the current one expired', async () => {
    const { clock, current } = issuer();
    await current();

    clock.nowMs = 60_000;

    expect(await Promise.all([current(), current()])).toEqual(['token-2', 'token-2']);
  });

  it('keeps the newer token when an older one is discarded late', async () => {
    const { tokens, issue, current } = issuer();
    const old = await tokens.current();
    tokens.discard(old);
    await tokens.current();

    tokens.discard(old);

    expect(await current()).toBe('token-2');
    expect(issue).toHaveBeenCalledTimes(2);
  });

  it('forgets a failed renewal after a while', async () => {
    const { issue, clock, current } = issuer();
    issue.mockRejectedValueOnce(new Error('down'));

    const first = await Promise.allSettled([current(), current()]);

    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    clock.nowMs += 250;
    expect(await current()).toBe('token-1');
    expect(issue).toHaveBeenCalledTimes(2);
  });

  it('lets callers after a discard join the renewal in progress', async () => {
    const { tokens, issue, clock, current } = issuer();
    const held = await tokens.current();
    clock.nowMs = 55_000;
    await tokens.current();

    tokens.discard(held);

    expect(await current()).toBe('token-2');
    expect(issue).toHaveBeenCalledTimes(2);
  });

  it('says which token the new one must not be, also after that was refused', async () => {
    const latest: (string | undefined)[] = [];
    const issue = async (token: Token | undefined): Promise<Token> => {
      latest.push(token?.authorization);
      return { authorization: `token-${latest.length}`, expiresAtMs: 60_000 };
    };
    const tokens = createTokenSource({ issue, now: () => 0 });

    tokens.discard(await tokens.current());
    await tokens.current();

    expect(latest).toEqual([undefined, 'token-1']);
  });

  it('uses the current token until a renewal that is asked for has another one, and also where it fails', async () => {
    const { tokens, issue, current } = issuer();
    await current();

    const renewed = tokens.renew();
    expect(await current()).toBe('token-1');
    await renewed;
    expect(await current()).toBe('token-2');

    issue.mockRejectedValueOnce(new Error('refused'));
    await expect(tokens.renew()).rejects.toThrow('refused');
    expect(await current()).toBe('token-2');
  });

  it('asks for another token after the one that is on its way, and in spite of a failure a moment ago', async () => {
    const { tokens, issue, current } = issuer();
    issue.mockRejectedValueOnce(new Error('refused'));
    const first = current();

    const renewed = tokens.renew();
    await expect(first).rejects.toThrow('refused');
    await renewed;

    expect(issue).toHaveBeenCalledTimes(2);
    expect(await current()).toBe('token-1');
  });
});
