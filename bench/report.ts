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
  const table = formatRows(['figure', 'measured', 'target', 'kind', ''], rows);
  return [`## ${name} (${Math.round(seconds)} s)`, '', table, ''].join('\n');
}

/** Words a table in Markdown, its columns aligned. */
export function formatRows(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
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
