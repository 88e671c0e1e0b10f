import { copyFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Benchmark, counted, type Figure } from '../benchmark.ts';
import { closedLoop, runLoad } from '../load/index.ts';
import { NODE_OPTIONS, withTestBed } from '../test-bed.ts';
import { chooseWorkloads, type Workload } from './workloads.ts';

const CLIENTS = 16;

/** Records where the gateway spends its CPU time in each workload. */
export const profile: Benchmark = {
  name: 'profile',
  about: 'writes CPU profiles of the workloads of speed, for the browser’s developer tools',
  isSeparate: true,
  async run({ isShort, workloads }) {
    const figures: Figure[] = [];
    const files: string[] = [];
    for (const workload of chooseWorkloads(workloads)) {
      const { failed, file } = await profileOne(workload, isShort ? 3_000 : 15_000);
      figures.push(counted(`${workload.name}: responses that failed`, failed, '', { atMost: 0 }));
      files.push(`- ${workload.name}: ${file}\n`);
    }
    return { figures, text: `\n${files.join('')}` };
  },
};

function profileOne({ name, requests, isEqual }: Workload, durationMs: number) {
  return withTestBed(async ({ folder, platform, startGateway }) => {
    platform.behave({ delayMs: 0 });
    const gateway = await startGateway({
      NODE_OPTIONS: `${NODE_OPTIONS} --cpu-prof --cpu-prof-dir=${folder}`,
    });
    // Lists have pages from 1.
    const load = { port: gateway.port, isEqual, durationMs, deadlineMs: 10_000, from: 1 };
    const { requests: sent, counts } = await runLoad(closedLoop(CLIENTS, requests.typed), load);
    await gateway.stop();
    const written = readdirSync(folder).find((name) => name.endsWith('.cpuprofile'));
    if (written === undefined) throw new Error('Node wrote no profile.');
    const file = join(tmpdir(), `caseway-${name}.cpuprofile`);
    copyFileSync(join(folder, written), file);
    return { failed: sent - counts.good, file };
  });
}
