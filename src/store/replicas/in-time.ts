/**
 * Settles as the reply does, or rejects when it is late, which is told before.
 *
 * @throws {Error} when it is late.
 */
export async function inTime(reply: Promise<unknown>, timeoutMs: number, onLate: () => void): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  // A process that was busy for long finds the deadline passed and the reply there: it reads before it judges.
  const judge = () =>
    setImmediate(() => {
      if (isSettled) return;
      onLate();
      reject(new Error('TIMEOUT Redis did not answer in time.'));
    });
  let isSettled = false;
  const timer = setTimeout(judge, timeoutMs);
  try {
    return await Promise.race([reply, late]);
  } finally {
    isSettled = true;
    clearTimeout(timer);
  }
}
