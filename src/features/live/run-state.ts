import { RequestState } from '../../core/request-state.ts';

/**
 * The state of a run, with its CPU time.
 *
 * A run continues when one of its calls ends, within the same turn of the event loop. The rest of
 * that turn is counted, including other work in it. Turns in which the run waits are not counted.
 */
export class RunState extends RequestState {
  /** Copies confirmed since then are up to date below the root of the run. */
  belowSinceMs: number | undefined;
  #cpuMs = 0;
  #endTurn: (() => void) | undefined;

  /** Counts the rest of the current turn of the event loop. */
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

  /** Ends the run. Returns its CPU time in milliseconds. */
  endRun(): number {
    this.finish();
    this.#endTurn?.();
    return this.#cpuMs;
  }
}
