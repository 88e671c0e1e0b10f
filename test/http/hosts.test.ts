import { request } from 'node:http';
import { describe, expect, it } from 'vitest';

import { startWith } from '../identity/support.ts';
import { startGateway } from '../support/gateway.ts';

/** The status of a query, or of another path, that names a host. */
const statusFor = (url: string, host: string, path = '/graphql?query=%7B__typename%7D') =>
  new Promise<number | undefined>((resolve, reject) => {
    request(`${url}${path}`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

describe('a gateway on loopback', () => {
  it('serves names of loopback, and no others, which DNS rebinding could use, but for health checks', async () => {
    const url = await startWith();

    for (const host of ['localhost', 'localhost:4000', 'app.localhost', '127.0.0.1', '[::1]:4000']) {
      expect([host, await statusFor(url, host)]).toEqual([host, 200]);
    }
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:80', '10.0.0.1']) {
      expect([host, await statusFor(url, host), await statusFor(url, host, '/livez')]).toEqual([host, 421, 200]);
    }
  });

  it('shows its metrics and status to loopback names alone', async () => {
    const { metricsUrl } = await startGateway({ METRICS_PORT: '0' });
    const { origin, host } = new URL(String(metricsUrl));

    for (const path of ['/metrics', '/status']) {
      expect(await statusFor(origin, host, path)).toBe(200);
      expect(await statusFor(origin, 'evil.example', path)).toBe(421);
    }
    expect(await (await fetch(`${origin}/`)).text()).toContain('/metrics, /status');
  });

  it('serves any host in production, where a proxy on the same machine passes on the name', async () => {
    const url = await startWith({ NODE_ENV: 'production' });

    expect(await statusFor(url, 'api.example')).toBe(200);
  });
});

describe('a gateway on every address', () => {
  it('serves any host', async () => {
    const url = (await startWith({ HOST: '0.0.0.0' })).replace('0.0.0.0', '127.0.0.1');

    expect(await statusFor(url, 'evil.example')).toBe(200);
  });

  it('shows its metrics under any name', async () => {
    const { metricsUrl } = await startGateway({ HOST: '0.0.0.0', METRICS_PORT: '0' });
    const { port } = new URL(String(metricsUrl));

    expect(await statusFor(`http://127.0.0.1:${port}`, 'gateway:9464', '/metrics')).toBe(200);
  });
});
