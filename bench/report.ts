import { type Figure, isMet } from './benchmark.ts';

/** Whether a run has passed: every figure within its bounds, in a short run only the counted ones. */
export function isPassed(figures: readonly Figure[], isShort: boolean): boolean {
  return figures.every((figure) => isMet(figure) !== false || (isShort && figure.kind === 'timed'));
}

/** Words the figures of a benchmark as a table in Markdown. */
export function formatReport(name: string, figures: readonly Figure[], seconds: number): string {
  const rows = figures.map((figure) => [
    figure.name,
    `${round(figure.value)} ${figure.unit}`,
    formatBound(figure),
    figure.kind,
    formatVerdict(figure),
  ]);
  const table = [['figure', 'measured', 'target', 'kind', ''], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(3, ...table.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const [head = [], ...body] = table;
  return [`## ${name} (${Math.round(seconds)} s)`, '', line(head), rule, ...body.map(line), ''].join('\n');
}

const round = (value: number): string => String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toFixed(2)));

function formatBound({ atLeast, atMost }: Figure): string {
  if (atLeast !== undefined) return `≥ ${round(atLeast)}`;
  return atMost === undefined ? '' : `≤ ${round(atMost)}`;
}

function formatVerdict(figure: Figure): string {
  const verdict = isMet(figure);
  if (verdict === undefined) return '';
  return verdict ? 'ok' : 'FAILED';
}
