import { parseArgs } from 'node:util';

import type { Benchmark, Findings } from './benchmark.ts';
import { frugality } from './frugality/index.ts';
import { growth } from './growth/index.ts';
import { formatReport, isPassed } from './report.ts';
import { save } from './save.ts';
import { cold } from './scripts/cold.ts';
import { disconnect } from './scripts/disconnect.ts';
import { idle } from './scripts/idle.ts';
import { ledger } from './scripts/ledger.ts';
import { loris } from './scripts/loris.ts';
import { noisy } from './scripts/noisy.ts';
import { outage } from './scripts/outage.ts';
import { overload } from './scripts/overload.ts';
import { priority } from './scripts/priority.ts';
import { recovery } from './scripts/recovery.ts';
import { restart } from './scripts/restart.ts';
import { slow } from './scripts/slow.ts';
import { soak } from './scripts/soak.ts';
import { stuck } from './scripts/stuck.ts';
import { speed } from './speed/index.ts';
import { typed } from './typed/index.ts';

const BENCHMARKS: readonly Benchmark[] = [
  frugality,
  overload,
  recovery,
  priority,
  slow,
  noisy,
  loris,
  idle,
  restart,
  stuck,
  ledger,
  disconnect,
  outage,
  cold,
  typed,
  soak,
  speed,
  growth,
];

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    short: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});
const chosen = BENCHMARKS.filter(
  ({ name, isApart = false }) => positionals.includes(name) || (positionals.includes('all') && !isApart),
);

if (values.help || chosen.length === 0) {
  say(help());
  process.exitCode = values.help ? 0 : 2;
}
for (const benchmark of values.help ? [] : chosen) {
  const startedMs = performance.now();
  const found = await benchmark.run({ isShort: values.short, isSaved: values.save });
  const { figures, text, files }: Findings = 'figures' in found ? found : { figures: found, text: '' };
  const report = formatReport(benchmark.name, figures, (performance.now() - startedMs) / 1_000) + text;
  say(report);
  if (values.save) say(`kept in ${save(benchmark.name, report, files)}\n`);
  if (!isPassed(figures, values.short)) process.exitCode = 1;
}

function help(): string {
  const lines = BENCHMARKS.map(({ name, about }) => `  ${name.padEnd(12)}${about}`);
  return [
    'npm run bench -- NAME… [--short] [--save]',
    '',
    ...lines,
    '  all         every one of them but speed and growth',
    '',
    '--short  a few seconds each; only the counted figures decide, the timed ones are printed',
    '--save   keeps what it prints in bench/results/',
    '',
    'The exit code is 0 when all that decides is within its bounds, 1 when not, 2 for wrong arguments.',
  ].join('\n');
}
