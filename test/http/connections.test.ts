import { describe, expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';

const QUERY = '{ __typename }';

async function start(env: Readonly<Record<string, string>> = {}) {
  const gateway = await startGateway(env);
  return { ...gateway, port: Number(new URL(gateway.url).port) };
}

describe('a gateway that listens', () => {
  it('takes no port on which another gateway listens', async () => {
    const { port } = await start();

    await expect(start({ PORT: String(port) })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  });

  it('listens at localhost', async () => {
    const { execute, url } = await start({ HOST: 'localhost' });

    expect(new URL(url).port).not.toBe('0');
    expect(await execute(QUERY)).toMatchObject({ status: 200 });
  });
});
