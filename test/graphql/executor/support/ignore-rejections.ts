import { setImmediate as turn } from 'node:timers/promises';

const EVENTS: readonly string[] = ['unhandledRejection', 'warning'];

/**
 * Runs a function during which unhandled rejections are no fault: graphql-js leaves the rejections
 * of a list's other items unhandled when one item has failed.
 */
export async function ignoreRejections(work: () => Promise<void>): Promise<void> {
  const before = EVENTS.map(
    (event) => [event, process.listeners(event as NodeJS.Signals)] as const,
  );
  const ignore = () => undefined;
  for (const event of EVENTS) process.removeAllListeners(event).on(event, ignore);
  try {
    await work();
  } finally {
    await turn();
    for (const [event, listeners] of before) {
      process.off(event, ignore);
      for (const listener of listeners) process.on(event, listener);
    }
  }
}
