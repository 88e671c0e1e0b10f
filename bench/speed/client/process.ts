import { type End, openConnection } from '../../load/connection.ts';
import { quantile } from '../../load/quantile.ts';
import { createWriter } from '../request.ts';
import type { Burst, BurstReport } from './protocol.ts';

// A process of its own that stays warm from burst to burst.
process.on('message', async (burst: Burst) => {
  process.send?.(await fire(burst));
});
process.on('disconnect', () => process.exit());

async function fire({ ports, template, kind, from, clients, durationMs }: Burst): Promise<BurstReport> {
  const write = createWriter(template, kind, from);
  const times: number[] = [];
  let failed = 0;
  const before = process.cpuUsage();
  const startMs = performance.now();
  const endMs = startMs + durationMs;

  const client = async (_: unknown, index: number) => {
    const port = ports[index % ports.length] ?? 0;
    let connection = openConnection(port, () => undefined);
    while (performance.now() < endMs) {
      const sentMs = performance.now();
      const end = await new Promise<End>((resolve) => {
        connection.send(write(), resolve);
      });
      const isGood = typeof end === 'object' && end.status === 200 && !end.body.includes('"errors":[');
      if (isGood) times.push(performance.now() - sentMs);
      else failed++;
      // Caseway closes a connection after a thousand requests.
      if (typeof end === 'string' || end.isLast) connection = openConnection(port, () => undefined);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: clients }, client));

  const tookMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(before);
  return {
    answered: times.length,
    failed,
    tookMs,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    busy: (user + system) / 1_000 / tookMs,
  };
}
