import { setImmediate as turn } from 'node:timers/promises';

/**
 * Does something during which rejections that nobody handles are no fault: graphql-js leaves those of a list's items alone
 * when another item has failed.
 */
export async function ignoreRejections(work: () => Promise<void>): Promise<void> {
  const listeners = process.listeners('unhandledRejection');
  const ignore = () => undefined;
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', ignore);
  try {
    await work();
  } finally {
    await turn();
    process.off('unhandledRejection', ignore);
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
}
