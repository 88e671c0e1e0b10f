import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Benchmark, counted, type Figure } from '../benchmark.ts';
import { closedLoop, runLoad } from '../load/index.ts';
import { formatRows } from '../report.ts';
import { NODE_OPTIONS, ROOT, withTestBed } from '../test-bed.ts';
import { chooseWorkloads, type Workload } from './workloads.ts';

const CLIENTS = 16;
const TOP = 15;
/** The first request that is measured has another number than all that warm up. */
const MEASURED_FROM = 1_000_000;

/** Where the gateway spends its CPU time at each workload. */
export const profile: Benchmark = {
  name: 'profile',
  about: 'CPU profile of the gateway at the workloads of speed: functions and packages by self time',
  isSeparate: true,
  async run({ isShort, workloads }) {
    const figures: Figure[] = [];
    const parts: string[] = [];
    for (const workload of chooseWorkloads(workloads)) {
      const { failed, text } = await profileOne(workload, isShort ? 3_000 : 10_000);
      figures.push(counted(`${workload.name}: responses that failed`, failed, '', { atMost: 0 }));
      parts.push(`\n### ${workload.name}: ${workload.about}\n\n${text}\n`);
    }
    return { figures, text: parts.join('') };
  },
};

function profileOne({ requests, isEqual }: Workload, durationMs: number) {
  return withTestBed(async ({ folder, platform, startGateway }) => {
    platform.behave({ delayMs: 0 });
    const startedMs = performance.now();
    const gateway = await startGateway({ NODE_OPTIONS: `${NODE_OPTIONS} --cpu-prof --cpu-prof-dir=${folder}` });
    const options = { port: gateway.port, isEqual, deadlineMs: 10_000 };
    const load = closedLoop(CLIENTS, requests.typed);
    await runLoad(load, { ...options, durationMs: durationMs / 2, from: 0 });
    const warmAfterMs = performance.now() - startedMs;
    const { requests: sent, counts } = await runLoad(load, { ...options, durationMs, from: MEASURED_FROM });
    const endedAfterMs = performance.now() - startedMs;
    await gateway.stop();
    const file = readdirSync(folder).find((name) => name.endsWith('.cpuprofile'));
    if (file === undefined) throw new Error('Node wrote no profile.');
    const cpuProfile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile;
    return { failed: sent - counts.good, text: formatProfile(cpuProfile, warmAfterMs, endedAfterMs) };
  });
}

/** What V8 writes; times in microseconds. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Self times between two moments of the profile, as shares of all time that the process was not idle. */
function formatProfile({ nodes, samples, timeDeltas }: CpuProfile, fromMs: number, toMs: number): string {
  const times = new Map<number, number>();
  let elapsed = 0;
  for (const [at, id] of samples.entries()) {
    const delta = timeDeltas[at] ?? 0;
    elapsed += delta;
    if (elapsed >= fromMs * 1_000 && elapsed <= toMs * 1_000) times.set(id, (times.get(id) ?? 0) + delta);
  }
  const frames = nodes
    .filter(({ callFrame }) => callFrame.functionName !== '(idle)')
    .map(({ id, callFrame: { functionName, url, lineNumber } }) => {
      const file = url.replace(/^file:\/\//, '').replace(`${ROOT}/`, '');
      const place = file === '' ? '' : ` ${file}:${lineNumber + 1}`;
      return {
        name: `${functionName || '(anonymous)'}${place}`,
        owner: packageOf(file, functionName),
        time: times.get(id) ?? 0,
      };
    });
  const busy = frames.reduce((sum, { time }) => sum + time, 0);
  const table = (title: string, key: 'name' | 'owner') => {
    const groups = [...Map.groupBy(frames, (frame) => frame[key])].map(([name, group]) => ({
      name,
      time: group.reduce((sum, { time }) => sum + time, 0),
    }));
    const top = groups.sort((a, b) => b.time - a.time).slice(0, TOP);
    return formatRows(
      [title, 'self time'],
      top.map(({ name, time }) => [name, `${((time / busy) * 100).toFixed(1)} %`]),
    );
  };
  return `${table('function', 'name')}\n\n${table('package or folder', 'owner')}`;
}

function packageOf(file: string, functionName: string): string {
  if (file === '') return functionName.startsWith('(') ? functionName : 'native';
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
  if (name !== undefined) return name;
  return file.split('/').slice(0, 2).join('/');
}
