import { Work } from '../../core/work.ts';

/**
 * The work of a run, and the CPU time that the run takes.
 *
 * A run goes on where one of its calls ends, in the same turn of the event loop. The rest of such a
 * turn counts, whoever else works in it; the turns in which the run waits do not count.
 */
export class RunWork extends Work {
  /** Copies confirmed since then are up to date below the root of the run. */
  belowSinceMs: number | undefined;
  #cpuMs = 0;
  #endTurn: (() => void) | undefined;

  /** Counts the rest of the current turn. */
  beginTurn(): void {
    if (this.#endTurn) return;
    const started = process.threadCpuUsage();
    const end = () => {
      const { user, system } = process.threadCpuUsage(started);
      this.#cpuMs += (user + system) / 1_000;
      this.#endTurn = undefined;
      clearImmediate(turn);
    };
    const turn = setImmediate(end);
    this.#endTurn = end;
  }

  override finish(): void {
    super.finish();
    this.beginTurn();
  }

  /** Returns the CPU time of the run, which has ended, in milliseconds. */
  endRun(): number {
    this.finish();
    this.#endTurn?.();
    return this.#cpuMs;
  }
}
