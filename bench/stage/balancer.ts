import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A balancer of connections that follows `/readyz` of the gateways behind it, in a process of its own. */
export interface Balancer {
  readonly port: number;
  close(): void;
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const child = fork(join(import.meta.dirname, 'balancer-process.ts'), ports.map(String), { execArgv: [] });
  const [port] = await once(child, 'message');
  return {
    port: Number(port),
    close: () => {
      child.kill('SIGKILL');
    },
  };
}
