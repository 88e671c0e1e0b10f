import { describe, expect, it } from 'vitest';

import { hashApiKey } from '../../src/http/auth/callers.ts';
import { executeAs } from '../identity/support.ts';
import { codeOf, PATIENT, startFaultyGateway } from './support/faulty-gateway.ts';
import { answers, type Fault } from './support/faulty-platform.ts';

const rule = (name: string) => `{ rule(component: "${name}", version: "1") { name } }`;
const many = (count: number) => Array.from({ length: count }, (_, index) => index);
describe('an outage', () => {
  it.each<[string, Fault]>([
    ['says 500', answers(500)],
    ['closes', (socket) => socket.destroy()],
  ])('of a platform that %s costs at most 1.1 calls per requested call', async (_how, fault) => {
    const { execute, badly } = await startFaultyGateway(fault, PATIENT);
    await execute(rule('good'));

    const codes = await Promise.all(many(400).map((index) => execute(rule(`bad${index}`)).then(codeOf)));

    expect(codes.filter((code) => code === undefined)).toEqual([]);
    expect(badly().length / 400).toBeLessThanOrEqual(1.1);
  });

  it('is probed by single calls, and ends soon after one of them is answered', async () => {
    const { execute, badly, heal } = await startFaultyGateway((socket) => socket.destroy(), PATIENT);
    await execute(rule('good'));
    for (const startedMs = performance.now(); performance.now() - startedMs < 3_000; ) await execute(rule('bad'));
    const whenOpen = badly().length;

    const refused = await Promise.all(many(100).map(() => execute(rule('bad'))));

    expect(new Set(refused.map(codeOf))).toEqual(new Set(['UPSTREAM_UNAVAILABLE']));
    expect(refused.filter(({ errors }) => errors?.[0]?.extensions['retryable'] !== true)).toEqual([]);
    expect(badly().length - whenOpen).toBeLessThan(50);
    heal();
    await expect.poll(() => execute(rule('good')).then(codeOf)).toBeUndefined();
  });

  it('of one resource that always responds with 500 does not block other reads', async () => {
    const { execute } = await startFaultyGateway(answers(500), PATIENT);

    const codes: (string | undefined)[] = [];
    for (const index of many(60)) {
      await execute(rule(`bad${index}`));
      codes.push(codeOf(await execute(rule(`good${index}`))));
    }

    expect(codes.filter((code) => code !== undefined)).toEqual([]);
  });

  it('that one caller alone meets, by reads which are never answered, leaves the others served', async () => {
    const CALLER_KEYS = ['slow', 'steady'].map((name) => `${name}:${hashApiKey(name)}`).join();
    const { gatewayUrl, badly } = await startFaultyGateway(() => undefined, { CALLER_AUTH: 'key', CALLER_KEYS });
    const read = (key: string, name: string) => executeAs(gatewayUrl, rule(name), { 'x-api-key': key }).then(codeOf);
    let reads = 0;
    let refused = 0;
    let hasEnded = false;
    const ask = async () => {
      while (!hasEnded) if ((await read('slow', `bad${reads++}`)) === 'UPSTREAM_UNAVAILABLE') refused++;
    };
    const asking = Promise.all(many(16).map(ask));
    await expect.poll(() => refused, { interval: 5, timeout: 10_000 }).toBeGreaterThan(0);
    const whenOpen = badly().length;
    // The slow caller's probe is in flight.
    await expect.poll(() => badly().length, { interval: 5 }).toBeGreaterThan(whenOpen);

    const codes: (string | undefined)[] = [];
    for (const index of many(100)) codes.push(await read('steady', `good${index}`));

    hasEnded = true;
    await asking;
    expect(codes.filter((code) => code === undefined).length).toBeGreaterThanOrEqual(95);
  });
});
