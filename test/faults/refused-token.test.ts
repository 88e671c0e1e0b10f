import { describe, expect, it } from 'vitest';

import { codeOf, PATIENT, READ, startFaultyGateway } from './support/faulty-gateway.ts';
import { answers, answerWell, CANARY, type Fault, reply } from './support/faulty-platform.ts';

const rule = (name: string) => `{ rule(component: "${name}", version: "1") { name } }`;
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('a platform that refuses a token', () => {
  it('permanently costs two tokens, however many requests arrive', async () => {
    const { execute, signedIn } = await startFaultyGateway(answers(401), PATIENT);
    const startedMs = performance.now();
    await execute(READ);

    const codes = await Promise.all(many(50).map((index) => execute(rule(`bad${index}`)).then(codeOf)));

    // A token that was refused is taken to be refused for a second at least; a busy machine may need longer.
    const seconds = Math.floor((performance.now() - startedMs) / 1_000);
    expect(new Set(codes)).toEqual(new Set(['UPSTREAM_UNAUTHENTICATED']));
    expect(signedIn.length).toBeGreaterThanOrEqual(2);
    expect(signedIn.length).toBeLessThanOrEqual(2 + seconds);
  });

  it('for 200 calls at once costs one renewal', async () => {
    const refusing: Fault = (socket, arrived) =>
      arrived.head.includes(`${CANARY.token}-1`) ? reply(socket, 401) : answerWell(socket, arrived);
    const { execute, signedIn } = await startFaultyGateway(refusing, PATIENT);
    await execute(rule('good'));

    const answered = await Promise.all(many(200).map((index) => execute(rule(`bad${index}`))));

    expect(answered.every(({ errors }) => errors === undefined)).toBe(true);
    expect(signedIn).toHaveLength(2);
  });
});
