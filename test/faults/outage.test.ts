import { describe, expect, it } from 'vitest';

import { codeOf, PATIENT, startFaultyGateway } from './support/faulty-gateway.ts';
import { answers, type Fault } from './support/faulty-platform.ts';

const rule = (name: string) => `{ rule(component: "${name}", version: "1") { name } }`;
const start = (name: string) => `mutation { startCase(input: { process: "${name}" }) { case { caseId } } }`;
const many = (count: number) => Array.from({ length: count }, (_, index) => index);
describe('a total outage', () => {
  it.each<[string, Fault]>([
    ['says 500', answers(500)],
    ['closes', (socket) => socket.destroy()],
  ])('of a platform that %s costs at most 1.1 calls for each one asked (row 54)', async (_how, fault) => {
    const { ask, badly } = await startFaultyGateway(fault, PATIENT);
    await ask(rule('good'));

    const codes = await Promise.all(many(400).map((index) => ask(rule(`bad${index}`)).then(codeOf)));

    expect(codes.filter((code) => code === undefined)).toEqual([]);
    expect(badly().length / 400).toBeLessThanOrEqual(1.1);
  });

  it('is found out by single calls, and over as soon as one is answered (row 54)', async () => {
    const { ask, badly, heal } = await startFaultyGateway(answers(500), { UPSTREAM_BREAKER_OPEN_MS: '60000' });
    for (const index of many(40)) await ask(rule(`bad${index}`));
    const whenOpen = badly().length;

    const refused = await Promise.all([ask(rule('bad')), ask(start('bad')), ask(rule('good'))]);

    expect(refused.map(codeOf)).toEqual(Array(3).fill('UPSTREAM_UNAVAILABLE'));
    expect(refused.map(({ errors }) => errors?.[0]?.extensions['retryable'])).toEqual([true, true, true]);
    expect(badly()).toHaveLength(whenOpen);
    expect(whenOpen).toBeLessThanOrEqual(24);
    heal();
  });

  it('that is over is over for the next who asks once the breaker tries again (row 54)', async () => {
    const { ask, heal } = await startFaultyGateway(answers(500), { UPSTREAM_BREAKER_OPEN_MS: '20' });
    for (const index of many(40)) await ask(rule(`bad${index}`));

    heal();

    await expect.poll(() => ask(rule('good')).then(codeOf)).toBeUndefined();
  });
});
