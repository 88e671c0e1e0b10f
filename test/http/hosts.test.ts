import { request } from 'node:http';
import { expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';

/** Returns the status of a request with this host. */
const statusFor = (url: string, host: string, path = '/graphql?query=%7B__typename%7D') =>
  new Promise<number | undefined>((resolve, reject) => {
    request(`${url}${path}`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

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
  const statusesFor = async (host: string) => [
    await statusFor(url, host),
    await statusFor(operatorUrl, host, '/metrics'),
    await statusFor(operatorUrl, host, '/status'),
    await statusFor(url, host, '/livez'),
  ];

  for (const host of served)
    expect([host, ...(await statusesFor(host))]).toEqual([host, 200, metrics, metrics, 200]);
  for (const host of refused)
    expect([host, ...(await statusesFor(host))]).toEqual([host, 421, 421, 421, 200]);
  expect(await (await fetch(`${operatorUrl}/`)).text()).toContain('/metrics, /status');
});
