import { describe, expect, it, onTestFinished } from 'vitest';
import { AbortReason } from '../../src/core/abort.ts';
import { UpstreamError, type UpstreamFailure } from '../../src/core/errors.ts';
import { ReceivedBytes, RequestState } from '../../src/core/request-state.ts';
import type { Call } from '../../src/upstream/call.ts';
import { createConnectionSlots } from '../../src/upstream/call-budget.ts';
import { createHttpClient } from '../../src/upstream/http.ts';
import { createCircuitBreaker } from '../../src/upstream/resilience.ts';
import { failureOf, OK, READ } from './support/open.ts';
import { startRawServer } from './support/raw-server.ts';

class SummedBytes extends ReceivedBytes {
  sum = 0;

  override add(bytes: number): void {
    this.sum += bytes;
    super.add(bytes);
  }
}

/** Creates a breaker before a host whose failures, responses and clock the test sets. */
function open() {
  const clock = { ms: 0 };
  const changes: boolean[] = [];
  const host = {
    failure: undefined as UpstreamFailure | undefined,
    details: {} as { readonly status?: number; readonly isUnsent?: boolean },
    status: 200,
    calls: 0,
    hold: Promise.resolve(),
  };
  const now = () => clock.ms;
  const breaker = createCircuitBreaker((isOpen) => changes.push(isOpen), now);
  const send = breaker.intercept(async (sent) => {
    host.calls++;
    sent.startedAtMs = clock.ms;
    await host.hold;
    if (host.failure)
      throw new UpstreamError(host.failure, { operation: sent.operation, ...host.details });
    return { ...OK, status: host.status };
  });
  /** Returns the status of a call, or its failure. */
  const call = (changes: Partial<Call> = {}) =>
    send({ ...READ, headers: {}, endsAtMs: Number.POSITIVE_INFINITY, ...changes }).then(
      ({ status }) => status,
      (error: UpstreamError) => error.failure,
    );
  const callAs = (caller: string) => call({ caller });
  /** Sends `count` calls, one each 100 ms. */
  const callFor = async (count: number) => {
    for (let index = 0; index < count; index++, clock.ms += 100) await call();
  };
  const outage = async () => {
    host.failure = 'unavailable';
    await callFor(25);
  };
  /** Opens the breaker, and prepares the host to hold the response to the next call, the probe. */
  const awaitProbe = async () => {
    await outage();
    clock.ms += 1_000;
    host.failure = undefined;
    const answer = Promise.withResolvers<void>();
    host.hold = answer.promise;
    return answer;
  };
  /** Starts a probe without a response. Later calls are answered at once. */
  const startLateProbe = async () => {
    const answer = await awaitProbe();
    const late = callAs('slow');
    host.hold = Promise.resolve();
    return { late, answer: () => answer.resolve() };
  };
  return {
    clock,
    host,
    breaker,
    changes,
    call,
    callAs,
    callFor,
    outage,
    awaitProbe,
    startLateProbe,
  };
}

describe('the circuit breaker', () => {
  it.each<UpstreamFailure>(['timeout', 'unavailable', 'outcome-unknown'])(
    'opens when 20 calls in a row ended as %s, and nothing has answered for two seconds',
    async (failure) => {
      const { host, breaker, callFor } = open();
      host.failure = failure;

      await callFor(20);
      const early = breaker.isOpen();
      await callFor(1);

      expect([early, breaker.isOpen()]).toEqual([false, true]);
    },
  );

  it('stays closed for a burst of lost connections', async () => {
    const { host, breaker, call } = open();
    host.failure = 'unavailable';

    await Promise.all(Array.from({ length: 100 }, () => call()));

    expect(breaker.isOpen()).toBe(false);
  });

  it.each([
    { status: 500 },
    // A response that is not understood.
    { failure: 'outcome-unknown', details: { status: 200 } },
    { failure: 'cancelled' },
    { failure: 'stopped' },
    { failure: 'overloaded' },
    { failure: 'rate-limited' },
  ])('stays closed however many calls end with %j', async (outcome) => {
    const { host, breaker, callFor } = open();
    Object.assign(host, outcome);

    await callFor(100);

    expect(breaker.isOpen()).toBe(false);
  });

  it('stays closed while one call in twenty is answered', async () => {
    const { host, breaker, callFor } = open();
    for (let round = 0; round < 5; round++) {
      host.failure = 'timeout';
      await callFor(19);
      host.failure = undefined;
      await callFor(1);
    }

    expect(breaker.isOpen()).toBe(false);
  });

  it('reports once that it opened, and once that it closed', async () => {
    const { clock, host, changes, call, outage } = open();
    await outage();
    for (let probe = 0; probe < 3; probe++) {
      clock.ms += 1_000;
      await call();
    }
    const during = [...changes];
    host.failure = undefined;
    clock.ms += 1_000;
    await call();
    await call();

    expect([during, changes]).toEqual([[true], [true, false]]);
  });

  it('stays closed when calls time out in the queue for a connection of a slow platform', async () => {
    const { url } = await startRawServer(() => undefined);
    const client = createHttpClient(url);
    onTestFinished(client.close);
    let aheadMs = 0;
    const breaker = createCircuitBreaker(
      () => undefined,
      () => performance.now() + aheadMs,
    );
    const send = breaker.intercept(createConnectionSlots()(client.send));
    const ends = new AbortController();
    const call = (count: number, timeoutMs: number) => {
      const request = { ...READ, endsAtMs: performance.now() + timeoutMs, signal: ends.signal };
      return Promise.all(
        Array.from({ length: count }, () => failureOf(send({ ...request, headers: {} }))),
      );
    };
    const sent = call(128, 60_000);

    const queued = await call(20, 100);
    aheadMs = 2_000;
    queued.push(...(await call(20, 100)));

    expect(new Set(queued.map(({ failure }) => failure))).toEqual(new Set(['timeout']));
    expect(breaker.isOpen()).toBe(false);
    ends.abort(new AbortReason('timeout'));
    await sent;
    expect(breaker.isOpen()).toBe(true);
  });

  it('refuses calls while it is open, with nothing sent', async () => {
    const { host, call, outage } = open();
    await outage();
    const before = host.calls;

    // The last call came 100 ms ago, and the breaker stays open for 150 ms.
    expect(await call()).toBe('unavailable');
    expect(host.calls).toBe(before);
  });

  it('then lets one probe of the caller through, refuses others meanwhile, and closes when the probe is answered', async () => {
    const { host, breaker, call, awaitProbe } = open();
    const answer = await awaitProbe();
    const before = host.calls;

    const probe = call();
    const other = await call();
    answer.resolve();

    expect([other, await probe, breaker.isOpen()]).toEqual(['unavailable', 200, false]);
    expect(host.calls).toBe(before + 1);
  });

  it('does not close after a probe that was not sent', async () => {
    const { clock, host, call, outage, changes } = open();
    await outage();
    clock.ms += 1_000;
    Object.assign(host, { failure: 'malformed', details: { isUnsent: true } });

    await call();

    expect(changes).toEqual([true]);
  });

  it('lets each caller probe, and any answer closes it for all, also where another probe fails late', async () => {
    const { host, breaker, callAs, startLateProbe } = open();
    const { late, answer } = await startLateProbe();

    expect([await callAs('other'), await callAs('third')]).toEqual([200, 200]);
    host.failure = 'timeout';
    answer();

    expect(await late).toBe('timeout');
    expect(breaker.isOpen()).toBe(false);
  });

  it('does not stay open longer for a late probe of an opening before', async () => {
    const { clock, breaker, callAs, outage, startLateProbe } = open();
    const { late, answer } = await startLateProbe();
    await callAs('other');
    await outage();
    clock.ms += 150;
    answer();

    expect(await late).toBe('unavailable');
    expect(breaker.isOpen('other')).toBe(false);
  });

  it('lets other callers probe at once when one probe got no answer for long', async () => {
    const { clock, host, breaker, startLateProbe } = open();
    const { late, answer } = await startLateProbe();
    clock.ms += 5_000;
    host.failure = 'timeout';
    answer();
    await late;

    expect(breaker.isOpen('other')).toBe(false);
  });

  it('lets at most eight callers probe at a time', async () => {
    const { host, callAs, awaitProbe } = open();
    const answer = await awaitProbe();
    const before = host.calls;

    const calls = Array.from({ length: 20 }, (_, index) => callAs(`caller ${index}`));
    answer.resolve();

    const served = (await Promise.all(calls)).filter((outcome) => outcome === 200);
    expect([served.length, host.calls - before]).toEqual([8, 8]);
  });

  it('uses the result of a probe even if its caller was cancelled', async () => {
    const { breaker, call, awaitProbe } = open();
    const answer = await awaitProbe();
    const leaver = new AbortController();

    const probe = call({ signal: leaver.signal });
    leaver.abort();
    const outcome = await probe;
    answer.resolve();

    expect(outcome).toBe('cancelled');
    await expect.poll(() => breaker.isOpen()).toBe(false);
    expect(await call()).toBe(200);
  });

  it('leaves it to the client whether a probe that is a write was sent when its caller was cancelled', async () => {
    const { call, awaitProbe } = open();
    const answer = await awaitProbe();
    const leaver = new AbortController();

    const probe = call({ kind: 'write', signal: leaver.signal });
    leaver.abort();
    answer.resolve();

    expect(await probe).toBe(200);
  });

  it('counts what an abandoned probe receives until it has ended', async () => {
    const { call, awaitProbe } = open();
    const answer = await awaitProbe();
    const received = new SummedBytes();
    const leaver = new AbortController();
    const requestState = new RequestState({ received, signal: leaver.signal });

    const probe = call({ signal: leaver.signal, requestState });
    leaver.abort();
    expect(await probe).toBe('cancelled');
    requestState.finish();
    requestState.received(1_000);
    const during = received.sum;
    answer.resolve();

    expect(during).toBe(1_000);
    await expect.poll(() => received.sum).toBe(0);
  });
});
