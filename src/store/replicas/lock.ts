import type { Link } from './link.ts';

/** What one replica holds at a time. It falls free by itself when its holder dies. */
export interface Lock {
  /**
   * Whether it is held now, by this replica; it is held until it is released.
   *
   * @throws {Error} where Redis gives no answer.
   */
  take(): Promise<boolean>;
  /** Lets it go, where it is held. Does not wait for Redis. */
  release(): void;
}

interface LockOptions {
  readonly link: Link;
  /** In Redis. */
  readonly name: string;
  /** This process's name among the replicas. */
  readonly holder: string;
}

/** So long after its holder has died it is free. */
const HELD_MS = 2_000;
/** So often a holder says that it lives. */
const EXTENDED_EACH_MS = 500;

const IF_HELD = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end`;
const EXTEND = `${IF_HELD} return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
const RELEASE = `${IF_HELD} return redis.call('DEL', KEYS[1])`;

/** Makes a lock. */
export function createLock({ link, name, holder }: LockOptions): Lock {
  let heartbeat: NodeJS.Timeout | undefined;

  const ifHeld = (script: string, ...args: readonly number[]) =>
    void link.send('EVAL', script, 1, name, holder, ...args).catch(() => undefined);

  return {
    async take() {
      if ((await link.send('SET', name, holder, 'NX', 'PX', HELD_MS)) === null) return false;
      heartbeat = setInterval(() => ifHeld(EXTEND, HELD_MS), EXTENDED_EACH_MS).unref();
      return true;
    },
    release() {
      if (heartbeat === undefined) return;
      clearInterval(heartbeat);
      heartbeat = undefined;
      ifHeld(RELEASE);
    },
  };
}
