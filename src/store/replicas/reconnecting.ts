import type { Log } from '../../telemetry/log.ts';

/** What is known of a connection that is opened again whenever it is lost. */
export interface Reconnecting {
  isUp(): boolean;
  /** How long to wait before the next try, in milliseconds: longer each time, and by chance. */
  delayMs(): number;
  /** Something went wrong; a loss that follows is put down to it. */
  failed(why: unknown): void;
  cameUp(): void;
  wentDown(): void;
  /** Nothing is opened any more. */
  closed(): void;
  /** Resolves when the first try has ended. */
  readonly decided: Promise<void>;
}

interface ReconnectingOptions {
  readonly log: Log;
  readonly now: () => number;
  /** From 0 up to 1, so that replicas do not come back together. */
  readonly random?: () => number;
}

const DELAY_FROM_MS = 50;
const DELAY_TO_MS = 2_000;
/** A connection that lasted so long was a good one: the next delay is short again. */
const STEADY_MS = 5_000;

/** Makes the knowledge of one connection. Each loss and each return is one line of the log. */
export function createReconnecting({ log, now, random = Math.random }: ReconnectingOptions): Reconnecting {
  const { promise: decided, resolve } = Promise.withResolvers<void>();
  let upSinceMs: number | undefined;
  let tries = 0;
  let reason = '';
  let hasComplained = false;

  return {
    isUp: () => upSinceMs !== undefined,
    delayMs: () => Math.min(DELAY_FROM_MS * 2 ** tries++, DELAY_TO_MS) * (0.5 + 0.5 * random()),
    failed(why) {
      reason = nameOf(why);
    },
    cameUp() {
      upSinceMs = now();
      if (hasComplained) log.info('Redis is there again; what replicas share is shared.');
      hasComplained = false;
      resolve();
    },
    wentDown() {
      if (upSinceMs !== undefined && now() - upSinceMs >= STEADY_MS) tries = 0;
      upSinceMs = undefined;
      if (!hasComplained) log.warn(`Redis is not there (${reason || 'closed'}); this replica goes on by itself.`);
      hasComplained = true;
      reason = '';
      resolve();
    },
    closed() {
      // What follows is meant, and no news.
      hasComplained = true;
      upSinceMs = undefined;
    },
    decided,
  };
}

/** A word for what went wrong, such as ECONNREFUSED or WRONGPASS; never what a server or a person wrote. */
function nameOf(why: unknown): string {
  if (typeof why === 'string') return why;
  if (!(why instanceof Error)) return 'unknown';
  if ('code' in why && typeof why.code === 'string') return why.code;
  // The client has no code for a server that says nothing.
  if (/\btimeout\b/i.test(why.message)) return 'TIMEOUT';
  return /^[A-Z]{2,20}(?= )/.exec(why.message)?.[0] ?? why.name;
}
