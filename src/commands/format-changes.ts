import type { Change, Severity } from '../graphql/comparison/compare.ts';

/** What each kind of change means for the clients that there are. */
const MEANINGS = {
  breaking: 'Breaking: what was right may fail.',
  dangerous: 'Dangerous: what was right goes on, and may mean something else, or answer what it never did.',
  safe: 'Safe.',
} as const satisfies Record<Severity, string>;

/** Writes changes for people. */
export function formatChanges(changes: readonly Change[], against: string): string {
  if (changes.length === 0) return `Nothing has changed since ${against}.`;
  const kinds = Object.keys(MEANINGS) as Severity[];
  const bySeverity = (severity: Severity) => changes.filter((change) => change.severity === severity);
  const counts = kinds.map((severity) => `${bySeverity(severity).length} ${severity}`);
  return [
    `Changes since ${against}: ${counts.join(', ')}.`,
    ...kinds.flatMap((severity) => formatKind(MEANINGS[severity], bySeverity(severity))),
  ].join('\n');
}

function formatKind(meaning: string, changes: readonly Change[]): string[] {
  if (changes.length === 0) return [];
  return ['', meaning, ...changes.map(({ place = '(schema)', message }) => `  ${place}: ${message}`)];
}
