import { describe, expect, it } from 'vitest';

import { codeOf, READ, startFaultyGateway } from './support/faulty-gateway.ts';
import { answers, answerWell, CANARY, type Fault, reply } from './support/faulty-platform.ts';

const rule = (name: string) => `{ rule(component: "${name}", version: "1") { name } }`;
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('a platform that refuses a token', () => {
  it('for ever costs two tokens, however many ask (row 39)', async () => {
    const { ask, signedIn } = await startFaultyGateway(answers(401));
    await ask(READ);

    const codes = await Promise.all(many(50).map((index) => ask(rule(`bad${index}`)).then(codeOf)));

    expect(new Set(codes)).toEqual(new Set(['UPSTREAM_UNAUTHENTICATED']));
    expect(signedIn).toHaveLength(2);
  });

  it('of 200 calls at once costs one renewal (row 40)', async () => {
    const refusing: Fault = (socket, arrived) =>
      arrived.head.includes(`${CANARY.token}-1`) ? reply(socket, 401) : answerWell(socket, arrived);
    const { ask, signedIn } = await startFaultyGateway(refusing, {
      UPSTREAM_TIMEOUT_MS: '10000',
      UPSTREAM_TRY_TIMEOUT_MS: '9000',
    });
    await ask(rule('good'));

    const answered = await Promise.all(many(200).map((index) => ask(rule(`bad${index}`))));

    expect(answered.every(({ errors }) => errors === undefined)).toBe(true);
    expect(signedIn).toHaveLength(2);
  });
});
