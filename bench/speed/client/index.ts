import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { Burst, BurstReport } from './protocol.ts';

/** What asks, in a process of its own. */
export interface Client {
  fire(burst: Burst): Promise<BurstReport>;
  close(): void;
}

export function startClient(): Client {
  const child = fork(join(import.meta.dirname, 'process.ts'), { execArgv: [] });
  return {
    async fire(burst) {
      child.send(burst);
      const [report] = await once(child, 'message');
      return report as BurstReport;
    },
    close: () => child.disconnect(),
  };
}
