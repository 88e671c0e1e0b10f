/** Tells the time in epoch milliseconds, by a clock that never goes back. */
export type Clock = () => number;

/** The process's own: set right when the process started, and steady since. */
export const steadyClock: Clock = () => performance.timeOrigin + performance.now();
