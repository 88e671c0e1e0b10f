import { describe, expect, it } from 'vitest';

import { type Env, startGateway } from '../support/gateway.ts';
import { connectTo } from './support/raw-client.ts';

async function startWithMetrics(env: Env = {}) {
  const { url, metricsUrl } = await startGateway({ METRICS_PORT: '0', ...env });
  return { url, operatorUrl: new URL(String(metricsUrl)).origin };
}

describe('health', () => {
  it('is served on the port of the metrics and on the port of the graph', async () => {
    const { url, operatorUrl } = await startWithMetrics();

    for (const path of ['/livez', '/readyz']) {
      const [one, other] = [await fetch(`${url}${path}`), await fetch(`${operatorUrl}${path}`)];
      expect([one.status, other.status]).toEqual([200, 200]);
      expect(await other.json()).toEqual(await one.json());
      expect((await fetch(`${operatorUrl}${path}`, { method: 'HEAD' })).status).toBe(200);
    }
  });

  it('lists the missing parts on both ports', async () => {
    const { url, operatorUrl } = await startWithMetrics({
      UPSTREAM_URL: 'http://127.0.0.1:9',
      UPSTREAM_USERNAME: 'a',
      UPSTREAM_PASSWORD: 'b',
    });

    for (const address of [url, operatorUrl]) {
      const response = await fetch(`${address}/readyz`);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({
        status: 'unavailable',
        checks: { token: 'unavailable' },
      });
    }
  });

  it('does not wait on the port of the metrics for connections of clients that are to be accepted', async () => {
    const { url, operatorUrl } = await startWithMetrics();
    const waiting = 200;
    let answered = 0;
    const probe = async (address: string) => {
      const client = await connectTo(address);
      client.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await client.received(/^HTTP\/1\.1 200/);
      answered++;
    };

    const clients = Array.from({ length: waiting }, () => probe(url));
    await probe(operatorUrl);
    const before = answered;
    await Promise.all(clients);

    expect(before).toBeLessThan(waiting / 4);
    expect(answered).toBe(waiting + 1);
  });
});
