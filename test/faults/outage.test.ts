import { describe, expect, it } from 'vitest';

import { callerKeys, executeAs } from '../identity/support.ts';
import {
  codeOf,
  many,
  PATIENT,
  rule,
  setAhead,
  startFaultyGateway,
} from './support/faulty-gateway.ts';
import { answers, type Fault } from './support/faulty-platform.ts';

/** Nothing has answered for longer than an outage takes to be one. */
const SILENCE_MS = 2_000;

describe('an outage', () => {
  it.each<[string, string, Fault, string | undefined]>([
    ['says 500', 'does not block', answers(500), undefined],
    ['closes', 'blocks', (socket) => socket.destroy(), 'UPSTREAM_UNAVAILABLE'],
  ])(
    'of a platform that %s costs at most 1.1 calls per requested call, and %s other reads',
    async (_does, _blocks, fault, expected) => {
      const { execute, badly } = await startFaultyGateway(fault, PATIENT);
      await execute(rule('good'));

      const codes = await Promise.all(
        many(100).map((index) => execute(rule(`bad${index}`)).then(codeOf)),
      );
      const calls = badly().length;
      setAhead(SILENCE_MS);
      await execute(rule('bad'));

      expect(codes).not.toContain(undefined);
      expect(calls / 100).toBeLessThanOrEqual(1.1);
      expect(codeOf(await execute(rule('better')))).toBe(expected);
    },
  );

  it('is probed by single calls, and ends soon after one of them is answered', async () => {
    const { execute, badly, heal } = await startFaultyGateway(
      (socket) => socket.destroy(),
      PATIENT,
    );
    await Promise.all(many(20).map(() => execute(rule('bad'))));
    for (const _ of many(20)) await execute(rule('bad'));
    setAhead(SILENCE_MS);
    await execute(rule('bad'));
    const whenOpen = badly().length;

    const refused = await Promise.all(many(100).map((index) => execute(rule(`bad${index}`))));

    const failure = { extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } };
    for (const { errors } of refused) expect(errors).toMatchObject([failure]);
    expect(badly().length - whenOpen).toBeLessThan(50);
    heal();
    await expect.poll(() => execute(rule('good')).then(codeOf)).toBeUndefined();
  });

  it('that affects the reads of one caller alone does not affect the others', async () => {
    const { gatewayUrl, badly, sockets, heal } = await startFaultyGateway(
      () => undefined,
      callerKeys('slow', 'steady'),
    );
    const read = (key: string, name: string) =>
      executeAs(gatewayUrl, rule(name), { 'x-api-key': key }).then(codeOf);
    let reads = 0;
    let refused = 0;
    let hasEnded = false;
    const ask = async () => {
      while (!hasEnded) {
        const code = await read('slow', `bad${reads++}`);
        if (code === 'UPSTREAM_UNAVAILABLE') refused++;
      }
    };
    const asking = Promise.all(many(20).map(ask));
    await expect.poll(() => badly().length, { interval: 5 }).toBe(20);
    setAhead(SILENCE_MS);
    await expect.poll(() => refused, { interval: 5 }).toBeGreaterThan(0);
    const whenOpen = badly().length;
    // The slow caller's probe is in flight.
    await expect.poll(() => badly().length, { interval: 5 }).toBeGreaterThan(whenOpen);

    // Refused until the breaker lets the steady caller probe, too.
    await expect.poll(() => read('steady', 'first'), { timeout: 10_000 }).toBeUndefined();
    const codes: (string | undefined)[] = [];
    for (const index of many(100)) codes.push(await read('steady', `good${index}`));

    hasEnded = true;
    heal();
    for (const socket of sockets) socket.destroy();
    await asking;
    expect(codes.filter((code) => code === undefined).length).toBeGreaterThanOrEqual(95);
  });
});
