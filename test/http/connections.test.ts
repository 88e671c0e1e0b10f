import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import { listenQueueOf } from '../../bench/listen-queue.ts';
import { startGateway } from '../support/gateway.ts';
import { queueClients } from './support/queued-clients.ts';
import { requestFor, statusesOf } from './support/raw-client.ts';

const MAX_OF_ONE_ADDRESS = 512;
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

/** A client with an address of its own, whose first answer is read; empty where the connection was closed before. */
function connectFrom(
  localAddress: string,
  port: number,
): { readonly socket: Socket; readonly answer: Promise<string> } {
  const socket = connect({ host: '127.0.0.1', port, localAddress }).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(requestFor(QUERY));
  return { socket, answer: Promise.race([once(socket, 'data').then(String), once(socket, 'close').then(() => '')]) };
}

/** Connects as often, a hundred at once, and gives the answers' statuses. */
async function connectMany(count: number, localAddress: string, port: number) {
  const clients = [];
  const statuses = [];
  while (clients.length < count) {
    const more: ReturnType<typeof connectFrom>[] = Array.from({ length: Math.min(100, count - clients.length) }, () =>
      connectFrom(localAddress, port),
    );
    clients.push(...more);
    for (const { answer } of more) statuses.push(...statusesOf(await answer));
  }
  return { clients, statuses };
}

describe.runIf(process.platform === 'linux')('the connections of one address', () => {
  it('are bounded, those of others are not, and one that ends leaves room for another', async () => {
    const { port, metricsUrl } = await start({ TRUSTED_PROXIES: '203.0.113.1', METRICS_PORT: '0' });
    const { clients, statuses } = await connectMany(MAX_OF_ONE_ADDRESS, '127.0.0.2', port);

    const refused = await connectFrom('127.0.0.2', port).answer;
    const other = await connectFrom('127.0.0.3', port).answer;
    clients[0]?.socket.destroy();

    expect(statuses).toEqual(Array(MAX_OF_ONE_ADDRESS).fill('200'));
    expect(refused).toBe('');
    expect(statusesOf(other)).toEqual(['200']);
    await expect.poll(async () => statusesOf(await connectFrom('127.0.0.2', port).answer)).toEqual(['200']);
    expect(await readFigure(metricsUrl, 'caseway_refused_connections_total')).toBeGreaterThanOrEqual(1);
  });

  it('are not bounded where it is a trusted proxy', async () => {
    const { port } = await start();

    const { statuses } = await connectMany(MAX_OF_ONE_ADDRESS + 10, '127.0.0.2', port);

    expect(statuses).toEqual(Array(MAX_OF_ONE_ADDRESS + 10).fill('200'));
  });
});
