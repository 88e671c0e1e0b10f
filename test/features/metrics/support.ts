import { executeAs } from '../../identity/support.ts';
import { startCountedGateway } from '../../support/gateway.ts';

/** Starts a gateway whose figures are read, and whose log has its operations. */
export async function startWatched(env: Readonly<Record<string, string>> = {}) {
  const lines: string[] = [];
  const gateway = await startCountedGateway({ METRICS_PORT: '0', LOG_LEVEL: 'info', ...env }, {}, (line) =>
    lines.push(line),
  );
  const read = async () => (await fetch(String(gateway.metricsUrl))).text();
  return {
    ...gateway,
    read,
    execute: (query: string, headers?: Readonly<Record<string, string>>) => executeAs(gateway.url, query, headers),
    /** The figures of a metric, by its name and labels or by the labels alone. */
    async figures(name: string): Promise<Readonly<Record<string, number>>> {
      const all = [...(await read()).matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].filter(([, found]) => found === name);
      return Object.fromEntries(all.map(([, , labels = '', value]) => [labels, Number(value)]));
    },
    operations: () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'operation'),
  };
}
