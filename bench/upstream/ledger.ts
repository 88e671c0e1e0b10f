import { openSync, readFileSync, writeSync } from 'node:fs';

/** Opens the ledger for writing. What was written stays written, also when the process is killed in the next moment. */
export function openLedger(file: string): (id: string) => void {
  const fd = openSync(file, 'a');
  return (id) => {
    writeSync(fd, `${id}\n`);
  };
}

/** Gives how often each effect took place. */
export function readLedger(file: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of readFileSync(file, 'utf8').split('\n').filter(Boolean)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
