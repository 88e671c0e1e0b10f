import type { Ids } from './fill.ts';

/** What the status line says of the last run. */
export interface Run {
  readonly state: 'running' | 'answered' | 'errors' | 'failed';
  /** From the click to the whole answer, the filling in of ids included. */
  readonly tookMs?: number;
  readonly ids?: Ids;
}

/** The last run, told by the fetcher and shown by the page. */
export function createRunReport() {
  let current: Run | undefined;
  const listeners = new Set<() => void>();
  return {
    current: () => current,
    tell(run: Run | undefined): void {
      current = run;
      for (const listener of listeners) listener();
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export type RunReport = ReturnType<typeof createRunReport>;
