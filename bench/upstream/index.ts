import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { Behaviour, Order, UpstreamCounts, Word } from './protocol.ts';

/** A platform on loopback, in a process of its own. */
export interface Upstream {
  readonly url: string;
  readonly pid: number;
  /** Where it writes each effect, before it answers. */
  readonly ledgerFile: string;
  behave(behaviour: Partial<Behaviour>): void;
  /** Gives what arrived since the last count, and begins anew. */
  count(isListed?: boolean): Promise<UpstreamCounts>;
  /** Kills it without a word, and starts it again at the same address. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

export async function startUpstream(ledgerFile: string): Promise<Upstream> {
  let behaviour: Behaviour = { mode: 'answer', delayMs: 20 };
  let { child, port } = await launch(ledgerFile, 0);
  const order = (given: Order) => child.send(given);

  const end = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    get pid() {
      return child.pid ?? 0;
    },
    ledgerFile,
    behave(change) {
      behaviour = { ...behaviour, ...change };
      order({ behave: behaviour });
    },
    async count(isListed = false) {
      const word = once(child, 'message');
      order({ count: { isListed } });
      const [said] = (await word) as [Word];
      return 'counts' in said ? said.counts : { calls: 0, unchanged: 0, maxInFlight: 0, arrived: [] };
    },
    async crash() {
      await end();
      ({ child, port } = await launch(ledgerFile, port));
      order({ behave: behaviour });
    },
    close: end,
  };
}

async function launch(ledgerFile: string, port: number): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(join(import.meta.dirname, 'process.ts'), [ledgerFile, String(port)], { execArgv: [] });
  const [word] = (await once(child, 'message')) as [Word];
  return { child, port: 'port' in word ? word.port : port };
}
