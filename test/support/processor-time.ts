/**
 * Returns the processor time of this process while `run` runs, in milliseconds, and the result of
 * `run`.
 */
export async function measureCpu<T>(
  run: () => Promise<T>,
): Promise<{ readonly cpuMs: number; readonly result: T }> {
  const before = process.cpuUsage();
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1_000, result };
}
