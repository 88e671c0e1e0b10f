import type { Replicas } from '../redis/index.ts';
import type { Log } from '../telemetry/log.ts';
import type { Closers } from './closers.ts';
import type { Configuration } from './configuration.ts';

/** Makes what is shared with the replicas that the settings name, not opened yet; `undefined` for a gateway that is alone. */
export async function joinReplicas(
  platformUrl: string,
  { replicas: joined }: Configuration,
  log: Log,
  closers: Closers,
): Promise<Replicas | undefined> {
  if (joined === undefined) return undefined;
  // Loaded only where it is needed: a gateway that is alone has no use for it.
  const { createReplicas } = await import('../redis/index.ts');
  const replicas = createReplicas({ platformUrl, ...joined, log });
  closers.add(replicas.close);
  return replicas;
}
