import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

import { type Figure, isMet } from './benchmark.ts';

const RESULTS = join(import.meta.dirname, 'results');

/** Formats the figures of a benchmark as a Markdown table. */
export function formatReport(name: string, figures: readonly Figure[], seconds: number): string {
  const rows = figures.map((figure) => [
    figure.name,
    `${formatNumber(figure.value)} ${figure.unit}`,
    formatBound(figure),
    figure.kind,
    formatVerdict(figure),
  ]);
  const table = formatRows(['figure', 'measured', 'target', 'kind', ''], rows);
  return [`## ${name} (${Math.round(seconds)} s)`, '', table, ''].join('\n');
}

/** Formats a Markdown table with aligned columns. */
export function formatRows(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => {
    const lengths = [head, ...rows].map((row) => row[column]?.length ?? 0);
    return Math.max(3, ...lengths);
  });
  const line = (cells: readonly string[]) => {
    const padded = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return `| ${padded.join(' | ')} |`;
  };
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Saves a report with a description of the machine and the commit. Returns the file. */
export function saveReport(name: string, report: string): string {
  const file = join(RESULTS, `${name}.md`);
  writeFileSync(file, `# ${name}\n\n${describeMachine()}\n\n${report}`);
  return file;
}

function describeMachine(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: RESULTS,
    encoding: 'utf8',
  }).trim();
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  const loads = loadavg().map((load) => load.toFixed(1));
  return [
    `- date: ${new Date().toISOString().slice(0, 16)}Z`,
    `- machine: ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${memoryGb} GB, ${process.platform}`,
    `- load average at the end, other programs included: ${loads.join(' ')}`,
    `- Node ${process.version}, commit ${commit}`,
  ].join('\n');
}

const formatNumber = (value: number): string =>
  String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toFixed(2)));

function formatBound({ atLeast, atMost }: Figure): string {
  if (atLeast !== undefined) return `≥ ${formatNumber(atLeast)}`;
  return atMost === undefined ? '' : `≤ ${formatNumber(atMost)}`;
}

function formatVerdict(figure: Figure): string {
  const verdict = isMet(figure);
  if (verdict === undefined) return '';
  return verdict ? 'ok' : 'FAILED';
}
