import { describe, expect, it } from 'vitest';

import { startGateway } from '../../support/gateway.ts';

type Headers = Readonly<Record<string, string>>;

async function startWatched() {
  const lines: string[] = [];
  const { url, metricsUrl } = await startGateway({ LOG_LEVEL: 'info', METRICS_PORT: '0' }, (line) => lines.push(line));
  const execute = async (headers: Headers) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"query":"{ __typename }"}',
    });
    await response.text();
  };
  const counted = async () =>
    [
      ...(await (await fetch(String(metricsUrl))).text()).matchAll(/^caseway_client_operations_total\{(.*)\} (\d+)$/gm),
    ].map(([, labels, count]) => `${labels} ${count}`);
  const logged = () =>
    lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'operation')
      .map(({ client, clientVersion }) => ({ client, clientVersion }));
  return { execute, counted, logged };
}

const apollo = (name: string, version: string): Headers => ({
  'apollographql-client-name': name,
  'apollographql-client-version': version,
});

describe('clients', () => {
  it('are counted and logged by the name and version that they state', async () => {
    const { execute, counted, logged } = await startWatched();

    await execute(apollo('@acme/web', '1.4.0'));
    await execute(apollo('@acme/web', '1.4.0'));
    await execute({ 'graphql-client-name': 'phone', 'graphql-client-version': '7' });
    await execute({});

    expect(await counted()).toEqual([
      'client="@acme/web",version="1.4.0" 2',
      'client="phone",version="7" 1',
      'client="none",version="none" 1',
    ]);
    expect(logged()).toEqual([
      { client: '@acme/web', clientVersion: '1.4.0' },
      { client: '@acme/web', clientVersion: '1.4.0' },
      { client: 'phone', clientVersion: '7' },
      { client: undefined, clientVersion: undefined },
    ]);
  });

  it('have no name where it is too long or has invalid characters', async () => {
    const { execute, counted } = await startWatched();

    await execute(apollo('x'.repeat(65), '1'));
    await execute(apollo('web"} 1', '<b>'));

    expect(await counted()).toEqual(['client="none",version="1" 1', 'client="none",version="none" 1']);
  });

  it('beyond the first hundred are counted together', async () => {
    const { execute, counted } = await startWatched();

    for (let count = 0; count < 103; count++) await execute(apollo('web', `1.${count}`));
    await execute(apollo('web', '1.0'));

    const figures = await counted();
    expect(figures).toHaveLength(101);
    expect(figures).toContain('client="web",version="1.0" 2');
    expect(figures).toContain('client="other",version="other" 3');
  });
});
