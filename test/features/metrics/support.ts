import { executeAs } from '../../identity/support.ts';
import { type Env, startCountedGateway } from '../../support/gateway.ts';

/** Starts a gateway whose figures are read, and whose log has its operations. */
export async function startWatched(env: Env = {}) {
  const gateway = await startCountedGateway({ METRICS_PORT: '0', LOG_LEVEL: 'info', ...env });
  return {
    ...gateway,
    read: gateway.metrics,
    execute: (query: string, headers?: Readonly<Record<string, string>>) =>
      executeAs(gateway.url, query, headers),
    /** The figures of a metric, by its name and labels or by the labels alone. */
    async figures(name: string): Promise<Readonly<Record<string, number>>> {
      const all = [...(await gateway.metrics()).matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].filter(
        ([, found]) => found === name,
      );
      return Object.fromEntries(all.map(([, , labels = '', value]) => [labels, Number(value)]));
    },
    operations: () => gateway.logged().filter(({ msg }) => msg === 'operation'),
  };
}
