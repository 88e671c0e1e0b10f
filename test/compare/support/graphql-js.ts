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

/**
 * Returns the comparable part of errors: for an error whose field is in the response, these members;
 * for a field whose error has nulled a parent, only that something failed there, because timing
 * decides which error came first.
 */
export function toComparable<
  T extends { readonly path?: readonly (string | number)[] | undefined },
>(errors: readonly T[], data: unknown, membersOf: (error: T) => readonly unknown[]): string[] {
  const compared = errors.map((error) => {
    let place = data;
    const path: (string | number)[] = [];
    for (const key of error.path ?? []) {
      if (typeof place !== 'object' || place === null) return JSON.stringify([path, 'failed']);
      place = (place as Record<string | number, unknown>)[key];
      path.push(key);
    }
    return JSON.stringify([path, ...membersOf(error)]);
  });
  return [...new Set(compared)].sort();
}
