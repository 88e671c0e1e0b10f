import { parseArgs } from 'node:util';

import { type Benchmark, type Findings, isPassed } from './benchmark.ts';
import { frugality } from './frugality/index.ts';
import { formatReport, saveReport } from './report.ts';
import { audit } from './scenarios/audit.ts';
import { disconnect } from './scenarios/disconnect.ts';
import { exactlyOnce } from './scenarios/exactly-once.ts';
import { idle } from './scenarios/idle.ts';
import { live } from './scenarios/live.ts';
import { outage } from './scenarios/outage.ts';
import { overload } from './scenarios/overload.ts';
import { replicas } from './scenarios/replicas.ts';
import { roles } from './scenarios/roles.ts';
import { restart, shutdown } from './scenarios/shutdown.ts';
import { slowClients } from './scenarios/slow-clients.ts';
import { slowPlatform } from './scenarios/slow-platform.ts';
import { soak } from './scenarios/soak.ts';
import { start } from './scenarios/start.ts';
import { typed } from './scenarios/typed.ts';
import { speed } from './speed/index.ts';
import { profile } from './speed/profile.ts';

const BENCHMARKS: readonly Benchmark[] = [
  frugality,
  start,
  idle,
  live,
  overload,
  slowPlatform,
  slowClients,
  restart,
  replicas,
  shutdown,
  exactlyOnce,
  audit,
  roles,
  disconnect,
  outage,
  typed,
  soak,
  speed,
  profile,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    short: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    servers: { type: 'string', default: '' },
    against: { type: 'string', default: '' },
    processes: { type: 'string' },
  },
});
const names = new Set([...BENCHMARKS.map(({ name }) => name), 'all']);
const unknown = positionals.filter((name) => !names.has(name));
const chosen = BENCHMARKS.filter(({ name, isSeparate = false }) => {
  const isInAll = positionals.includes('all') && !isSeparate;
  return isInAll || positionals.includes(name);
});

if (values.help || chosen.length === 0 || unknown.length > 0) {
  if (unknown.length > 0) print(`Unknown benchmark: ${unknown.join(', ')}\n`);
  print(help());
  process.exitCode = values.help ? 0 : 2;
} else {
  for (const benchmark of chosen) await run(benchmark);
}

async function run(benchmark: Benchmark): Promise<void> {
  const startedMs = performance.now();
  const found = await benchmark.run({
    isShort: values.short,
    isSaved: values.save,
    workloads: listOf(values.only),
    servers: listOf(values.servers),
    against: values.against,
    processes: values.processes === undefined ? undefined : Number(values.processes),
  });
  const { figures, text }: Findings = 'figures' in found ? found : { figures: found, text: '' };
  const seconds = (performance.now() - startedMs) / 1_000;
  const report = formatReport(benchmark.name, figures, seconds) + text;
  print(report);
  if (values.save) print(`saved in ${saveReport(benchmark.name, report)}\n`);
  if (!isPassed(figures, values.short)) process.exitCode = 1;
}

function listOf(text: string): readonly string[] {
  return text.split(',').filter(Boolean);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function help(): string {
  return [
    'npm run bench -- NAME… [--short] [--save]',
    'npm run bench -- speed [--only W1,W3] [--servers caseway,mercurius-duties] [--against PATH] [--processes 9] …',
    '',
    ...BENCHMARKS.map(({ name, about }) => `  ${name.padEnd(14)}${about}`),
    '  all           every benchmark except speed and profile',
    '',
    '--short      run a few seconds each; only counted figures decide, timed figures are printed',
    '--save       save the report in bench/results/',
    '--only       run only these workloads (speed, profile)',
    '--servers    compare only these servers, or `all` (speed)',
    '--against    compare with the checkout in this folder, as the server `before` (speed)',
    '--processes  run this number of processes of each server (speed)',
    '',
    'Exit code: 0 if every deciding figure is within its bounds, 1 if not, 2 for wrong arguments.',
  ].join('\n');
}
