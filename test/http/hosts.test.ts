import { once } from 'node:events';
import { request } from 'node:http';
import { expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';

/** Returns the status of a request with this host. */
async function statusFor(url: string, host: string): Promise<number | undefined> {
  const [response] = await once(request(url, { headers: { host } }).end(), 'response');
  response.resume();
  return response.statusCode;
}

it.each([
  {
    what: 'on loopback serves names of loopback, and no others, which DNS rebinding could use, but for health checks',
    env: {},
    metrics: 200,
    served: ['localhost', 'localhost:4000', 'app.localhost', '127.0.0.1', '[::1]:4000'],
    refused: ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:80', '10.0.0.1'],
  },
  {
    what: 'in production serves any host, since a proxy passes on the name, but its metrics to names of loopback alone',
    env: { NODE_ENV: 'production' },
    metrics: 421,
    served: ['api.example'],
    refused: [],
  },
  {
    what: 'on every address serves any host',
    env: { HOST: '0.0.0.0' },
    metrics: 200,
    served: ['gateway:9464'],
    refused: [],
  },
])('a gateway $what', async ({ env, metrics, served, refused }) => {
  const gateway = await startGateway({ ...env, METRICS_PORT: '0' });
  const url = gateway.url.replace('0.0.0.0', '127.0.0.1');
  const operatorUrl = new URL(String(gateway.metricsUrl).replace('0.0.0.0', '127.0.0.1')).origin;
  const expectFor = async (host: string, statuses: readonly number[]) =>
    expect([
      host,
      await statusFor(`${url}/graphql?query=%7B__typename%7D`, host),
      await statusFor(`${operatorUrl}/metrics`, host),
      await statusFor(`${operatorUrl}/status`, host),
      await statusFor(`${url}/livez`, host),
    ]).toEqual([host, ...statuses]);

  for (const host of served) await expectFor(host, [200, metrics, metrics, 200]);
  for (const host of refused) await expectFor(host, [421, 421, 421, 200]);
  expect(await (await fetch(`${operatorUrl}/`)).text()).toContain('/metrics, /status');
});
