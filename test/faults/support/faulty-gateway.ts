import { expect, onTestFinished } from 'vitest';

import { type Env, type GraphqlAnswer, startGateway } from '../../support/gateway.ts';
import { writeDialect } from '../../support/write-dialect.ts';
import { CANARY, type Fault, issueToken, startFaultyPlatform } from './faulty-platform.ts';

/** Short deadlines, for a platform that does not respond. */
const SETTINGS = {
  LOG_LEVEL: 'debug',
  UPSTREAM_USERNAME: 'user',
  UPSTREAM_PASSWORD: CANARY.password,
  UPSTREAM_TIMEOUT_MS: '1800',
};

/** Deadlines that even a busy machine meets, for a platform that always responds. */
export const PATIENT = { UPSTREAM_TIMEOUT_MS: '18000' };

/**
 * A pause after the request limit that outlives no test, where the platform does not say how long
 * it is.
 */
export const shortPause = () => ({
  UPSTREAM_DIALECT: writeDialect({ error: { retryAfterMs: 1 } }),
});

/** One field that meets the fault, beside one that does not. */
export const READ =
  '{ bad: rule(component: "bad", version: "1") { name } good: rule(component: "good", version: "1") { name } }';
export const WRITE =
  'mutation { bad: startCase(input: { process: "bad" }) { case { caseId } } good: startCase(input: { process: "good" }) { case { caseId } } }';

/** A read and a write. Names that begin with `bad` meet the fault. */
export const rule = (name: string) => `{ rule(component: "${name}", version: "1") { name } }`;
export const start = (name: string) =>
  `mutation { startCase(input: { process: "${name}" }) { case { caseId } } }`;

export const many = (count: number) => Array.from({ length: count }, (_, index) => index);

/**
 * Moves `performance.now()` forward until the test ends, so that pauses are over at once. Timers
 * are not affected.
 */
export function setAhead(ms: number): void {
  const { now } = performance;
  performance.now = () => now.call(performance) + ms;
  onTestFinished(() => {
    performance.now = now;
  });
}

/**
 * A gateway with a faulty platform. Its responses and log are searched for canaries when the test
 * ends.
 */
export async function startFaultyGateway(fault: Fault, env: Env = {}, issue: Fault = issueToken) {
  const platform = await startFaultyPlatform(fault, issue);
  const said: string[] = [];
  const gateway = await startGateway({ ...SETTINGS, UPSTREAM_URL: platform.url, ...env }, (line) =>
    said.push(line),
  );
  onTestFinished(async () => {
    await gateway.close();
    const all = said.join('');
    for (const secret of [...Object.values(CANARY), platform.host])
      expect(all).not.toContain(secret);
  });
  const execute = async (query: string): Promise<GraphqlAnswer> => {
    const answer = await gateway.execute(query);
    said.push(JSON.stringify(answer));
    return answer;
  };
  return { ...platform, gatewayUrl: gateway.url, execute };
}

/** The code of the field that met the fault; `undefined` when it was answered. */
export const codeOf = ({ errors }: GraphqlAnswer): string | undefined =>
  errors?.[0]?.extensions['code'];
