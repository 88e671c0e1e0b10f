import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'results');

/** Keeps a report with what it was measured on, and the files that go with it; gives the report's file name. */
export function save(name: string, report: string, files: Readonly<Record<string, string>> = {}): string {
  const file = join(FOLDER, `${name}.md`);
  mkdirSync(FOLDER, { recursive: true });
  for (const [beside, content] of Object.entries(files)) writeFileSync(join(FOLDER, beside), content);
  writeFileSync(file, `# ${name}\n\n${circumstances()}\n\n${report}`);
  return file;
}

function circumstances(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: FOLDER, encoding: 'utf8' }).trim();
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return [
    `- date: ${new Date().toISOString().slice(0, 16)}Z`,
    `- machine: ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${memoryGb} GB, ${process.platform}`,
    `- load average at the end, other programs included: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
    `- Node ${process.version}, commit ${commit}`,
  ].join('\n');
}
