import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startUpstream, type Upstream } from '../upstream/index.ts';
import { type Gateway, startGateway } from './gateway.ts';

/** Where a benchmark takes place: a platform, and gateways before it. */
export interface Stage {
  readonly folder: string;
  readonly upstream: Upstream;
  /** Starts a gateway, at a free port or at the one given. It ends with the stage. */
  gateway(env?: Readonly<Record<string, string>>, port?: number): Promise<Gateway>;
}

/** Sets a stage up, plays on it, and takes all of it down, whatever happened. */
export async function onStage<T>(play: (stage: Stage) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'caseway-bench-'));
  const upstream = await startUpstream(join(folder, 'ledger'));
  const gateways: Gateway[] = [];
  try {
    return await play({
      folder,
      upstream,
      async gateway(env, port) {
        const options = { port: port ?? (await freePort()), upstreamUrl: upstream.url, folder };
        const gateway = await startGateway({ ...options, ...(env && { env }) });
        gateways.push(gateway);
        return gateway;
      },
    });
  } finally {
    await Promise.all(gateways.filter((gateway) => gateway.isRunning()).map((gateway) => gateway.stop('SIGKILL')));
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Gives a port of the loopback address that nobody listens at. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0));
    });
  });
}
