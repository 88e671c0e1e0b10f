import { runOne } from '../load/index.ts';
import { CALLER } from '../stage/gateway.ts';
import { eagerPages } from './pages.ts';

/**
 * Measures how many pages a second a gateway answers when 64 clients ask all the time, after it has warmed up. The best
 * of some stretches counts: what else runs on the machine only ever takes away.
 */
export async function measureCapacity(port: number, isShort: boolean, headers = CALLER): Promise<number> {
  const durationMs = isShort ? 700 : 5_000;
  const clients = { ...eagerPages(64), headers };
  const stretches: number[] = [];
  for (let stretch = 0; stretch < (isShort ? 2 : 4); stretch++) {
    const { counts } = await runOne(clients, { port, durationMs });
    stretches.push((counts.good / durationMs) * 1_000);
  }
  return Math.max(...stretches.slice(1));
}
