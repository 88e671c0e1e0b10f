import { describe, expect, it, onTestFinished } from 'vitest';
import { delayPlatform } from '../support/delayed-platform.ts';
import { startCountedGateway, startGateway } from '../support/gateway.ts';
import { connectTo, requestFor, statusesOf } from './support/raw-client.ts';

const READINESS = 'GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Nobody is given up for the time in which nothing is done. */
const PATIENT = {
  UPSTREAM_TIMEOUT_MS: '60000',
};

/** Room for two requests, one of which a platform holds. */
async function startHeld() {
  const { origin } = await startCountedGateway();
  const held = await delayPlatform(origin);
  const gateway = await startGateway({
    UPSTREAM_URL: held.url,
    UPSTREAM_USERNAME: 'demo',
    UPSTREAM_PASSWORD: 'demo',
    MAX_CONCURRENT_REQUESTS: '2',
    ...PATIENT,
  });
  onTestFinished(gateway.close);
  const first = gateway.execute('{ form(formId: "supplier") { formId } }');
  await held.firstRequest;
  onTestFinished(async () => {
    held.release();
    await first;
  });
  return gateway;
}

/** Longer than a gateway may be late and still be ready. */
const LATE_MS = 1_100;

/** Keeps the event loop, which the gateway shares with this test, from doing anything else. */
function block(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

/** Blocks the event loop at once, and again each time that it has been round, until what is waited for is there. */
async function whileBlocked<T>(waited: Promise<T>): Promise<T> {
  let isOver = false;
  const blockAgain = () => {
    if (isOver) return;
    block(LATE_MS);
    setImmediate(blockAgain);
  };
  blockAgain();
  return waited.finally(() => {
    isOver = true;
  });
}

describe('a gateway whose event loop is blocked', () => {
  it('admits fewer requests and is not ready as soon as it notices, and recovers after catching up', async () => {
    const { url, execute } = await startHeld();
    const [asking, balancer] = await Promise.all([connectTo(url), connectTo(url)]);
    await expect.poll(async () => (await execute('{ __typename }')).status).toBe(200);

    // Both arrive while nothing is done, and are looked at after the lateness was.
    asking.write(requestFor('{ __typename }'));
    balancer.write(READINESS);
    const answers = Promise.all([asking.received(/\}\s*$/), balancer.received(/\}\s*$/)]);
    const [refused, unready] = await whileBlocked(answers);

    expect([...statusesOf(refused), ...statusesOf(unready)]).toEqual(['503', '503']);
    expect(refused).toContain('OVERLOADED');
    await expect.poll(async () => (await execute('{ __typename }')).status).toBe(200);
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
  });
});
