import { describe, expect, it } from 'vitest';

import { UpstreamError } from '../../src/core/errors.ts';
import type { Call } from '../../src/upstream/call.ts';
import { createRateLimitBackoff } from '../../src/upstream/resilience.ts';
import { OK, READ } from './support/open.ts';

/** Creates a pause with a clock that the test sets, and identities that call the platform. */
function open() {
  const clock = { ms: 1_000 };
  const pause = createRateLimitBackoff(() => clock.ms);
  let names = 0;
  /** Creates calls of an identity. Each is limited for a time, or answered. */
  const callsOf = (name: string | undefined) => {
    const intercept = pause.forCaller(() => name);
    /** Sends a call. Returns its outcome, or the time to wait if it was not sent. */
    return async (retryAfterMs?: number, changes: Partial<Call> = {}, isUnsent = false) => {
      let isSent = false;
      const send = intercept(async ({ operation }) => {
        isSent = true;
        if (retryAfterMs === undefined) return OK;
        throw new UpstreamError('rate-limited', { operation, retryAfterMs, isUnsent });
      });
      const call = { ...READ, headers: {}, endsAtMs: Number.POSITIVE_INFINITY, ...changes };
      const error = await send(call).catch((reason: UpstreamError) => reason);
      if (!(error instanceof UpstreamError)) return 'answered';
      return isSent ? 'limited' : error.retryAfterMs;
    };
  };
  return {
    clock,
    identity: (name = `user ${names++}`) => callsOf(name),
    service: () => callsOf(undefined),
  };
}

describe('the pause after REQUEST_LIMIT_EXCEEDED', () => {
  it('lasts for the stated time, for the identity that met the limit', async () => {
    const { clock, identity } = open();
    const [one, other] = [identity(), identity()];
    await one(5_000);

    clock.ms += 2_000;
    const meanwhile = [await one(), await other()];
    clock.ms += 3_000;

    expect(meanwhile).toEqual([3_000, 'answered']);
    expect(await one()).toBe('answered');
  });

  it('is global when the gateway’s own identity meets the limit', async () => {
    const { identity, service } = open();
    const [own, other] = [service(), identity()];

    await own(5_000);

    expect([await own(), await other()]).toEqual([5_000, 5_000]);
  });

  it('is global when three identities meet it within five seconds and no call succeeds', async () => {
    const { clock, identity } = open();
    for (let count = 0; count < 3; count++, clock.ms += 2_000) await identity()(10_000);

    expect(await identity()()).toBe(8_000);
  });

  it('is not global while others are served, however many identities meet it', async () => {
    const { identity } = open();
    const other = identity();
    const served = [];
    for (let count = 0; count < 10; count++) {
      await identity()(10_000);
      served.push(await other());
    }

    expect(served).toEqual(Array(10).fill('answered'));
  });

  it('is not global when one identity meets it repeatedly, or several do over a long time', async () => {
    const { clock, identity } = open();
    const [one, other] = [identity(), identity()];
    for (let time = 0; time < 5; time++, clock.ms += 60_000) await one(100);
    for (let time = 0; time < 5; time++, clock.ms += 6_000) await identity()(100);

    expect(await other()).toBe('answered');
  });

  it('is not global when one caller meets it in several sessions', async () => {
    const { identity } = open();

    for (let session = 0; session < 4; session++) await identity('ann')(10_000);

    expect(await identity('bob')()).toBe('answered');
  });

  it('is not extended by calls that were in flight when it started', async () => {
    const { identity } = open();
    const call = identity();

    await Promise.all([call(1_000), call(1_000), call(1_000)]);

    expect(await call()).toBe(1_000);
  });

  it('is not started by the gateway’s own call budget', async () => {
    const { identity } = open();
    const call = identity();

    await call(5_000, {}, true);

    expect(await call()).toBe('answered');
  });

  it('lasts up to an hour, in which one read a minute probes whether the limit still holds', async () => {
    const { clock, service } = open();
    const call = service();
    await call(7_200_000);

    clock.ms += 59_999;
    const early = await call();
    clock.ms += 1;
    const change = await call(undefined, { kind: 'write' });
    const probe = await call(1_000);
    const after = await call();
    clock.ms += 60_000;

    expect([early, change, probe, after]).toEqual([3_540_001, 3_540_000, 'limited', 3_540_000]);
    expect([await call(), await call(undefined, { kind: 'write' })]).toEqual([
      'answered',
      'answered',
    ]);
  });

  it('is not ended by a call that was under way when it started', async () => {
    const { clock, service } = open();
    const call = service();
    const early = call();
    await Promise.all([call(600_000), early]);

    clock.ms += 1_000;

    expect(await call()).toBe(599_000);
  });
});
