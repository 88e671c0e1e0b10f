import { describe, expect, it, onTestFinished } from 'vitest';

import { listenQueueOf } from '../../bench/listen-queue.ts';
import { startGateway } from '../support/gateway.ts';
import { queueClients } from './support/queued-clients.ts';
import { statusesOf } from './support/raw-client.ts';

const QUERY = '{ __typename }';

async function start(env: Readonly<Record<string, string>> = {}) {
  const gateway = await startGateway(env);
  onTestFinished(gateway.close);
  return { ...gateway, port: Number(new URL(gateway.url).port) };
}

/** Has the gateway find itself on another system. */
function pretendPlatform(platform: NodeJS.Platform): void {
  const { platform: own } = process;
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: own }));
  Object.defineProperty(process, 'platform', { value: platform });
}

/** Reads a figure of the metrics, and 0 where there is none; the sum where it has labels. */
async function readFigure(metricsUrl: string | undefined, name: string): Promise<number> {
  const text = await fetch(metricsUrl ?? '').then((response) => response.text());
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm'))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

describe('a gateway that listens', () => {
  it.runIf(process.platform === 'linux')(
    'has several sockets on its port, of which none is left when it has stopped',
    async () => {
      const { url, close } = await startGateway();
      const port = Number(new URL(url).port);
      const during = listenQueueOf(port).sockets;
      await close();

      expect(during).toBeGreaterThan(1);
      expect(listenQueueOf(port).sockets).toBe(0);
    },
  );

  it('takes no port on which another gateway listens', async () => {
    const { port } = await start();

    await expect(start({ PORT: String(port) })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  });

  it('listens at localhost', async () => {
    const { execute, url } = await start({ HOST: 'localhost' });

    expect(new URL(url).port).not.toBe('0');
    expect(await execute(QUERY)).toMatchObject({ status: 200 });
  });

  it('has one socket where the system cannot distribute connections', async () => {
    pretendPlatform('darwin');
    const { port, execute } = await start();

    expect(await execute(QUERY)).toMatchObject({ status: 200 });
    if (process.platform === 'linux') expect(listenQueueOf(port).sockets).toBe(1);
    await expect(start({ PORT: String(port) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('connections that wait to be accepted', () => {
  it('execute nothing when their clients have left', async () => {
    const { url, metricsUrl, execute } = await start({ METRICS_PORT: '0' });
    await queueClients({ url, count: 64, areLeaving: true });

    // Each is accepted before the later ones.
    for (let count = 0; count < 10; count++) expect(await execute(QUERY)).toMatchObject({ status: 200 });

    expect(await readFigure(metricsUrl, 'caseway_operations_total')).toBe(10);
  });

  it('are served when the gateway stops', async () => {
    const { url, close } = await startGateway();

    const received = queueClients({ url, count: 64, areLeaving: false });
    await close();

    expect((await received).flatMap(statusesOf)).toEqual(Array(64).fill('200'));
  });
});
