import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, TestRunner } from 'vitest';

/**
 * Lets a server listen at a free port of the loopback address until the test has ended, and gives
 * its address.
 */
export async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeWithTest(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** Closes something when the test ends. Something that a hook opens must be closed by a hook. */
export function closeWithTest(close: () => unknown): void {
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(async () => void (await close()));
}
