import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A platform on loopback in its own process. It answers fast and can be made to fail. */
export interface Platform {
  readonly url: string;
  behave(behaviour: Partial<Behaviour>): void;
  /**
   * Returns the calls since the last count. The list of single calls is filled if the count before
   * had `isListed`.
   */
  count(isListed?: boolean): Promise<Counts>;
  /** Returns how often each creation took effect, by the id in its request. */
  effects(): ReadonlyMap<string, number>;
  /** Kills the process and starts it again at the same address. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

export interface PlatformOptions {
  /** The number of extra forms `record0`, `record1`, … with 40 fields each. */
  readonly records?: number;
}

/** The behaviour of the platform until the next change. */
export interface Behaviour {
  /** `fail`: answers 500. `reset`: closes the connection. `hang`: never answers. */
  readonly mode: 'answer' | 'fail' | 'reset' | 'hang';
  /** The time before an answer. Tokens are answered at once. */
  readonly delayMs: number;
  /** The number of changes to the lists of instances. Each one adds one to their totals. */
  readonly changes: number;
}

/**
 * One call that arrived, with its time in epoch milliseconds, so that processes can compare them.
 */
export interface ArrivedCall {
  readonly path: string;
  /** The id in the request of a creation. */
  readonly creation: string | undefined;
  readonly atMs: number;
}

export interface Counts {
  /** The number of calls, calls for tokens included. */
  readonly calls: number;
  readonly maxInFlight: number;
  /** Every call except calls for tokens. Empty unless the count before had `isListed`. */
  readonly arrived: readonly ArrivedCall[];
}

export type PlatformRequest =
  | { readonly behave: Behaviour }
  | { readonly count: { readonly isListed: boolean } };

type Reply = { readonly port: number } | { readonly counts: Counts };

/** Starts a platform. It writes each creation to `ledgerFile` before it answers. */
export async function startPlatform(
  ledgerFile: string,
  { records = 0 }: PlatformOptions = {},
): Promise<Platform> {
  let behaviour: Behaviour = { mode: 'answer', delayMs: 20, changes: 0 };
  const launch = async (port: number): Promise<{ child: ChildProcess; port: number }> => {
    const args = [ledgerFile, String(port), String(records)];
    const child = fork(join(import.meta.dirname, 'process.ts'), args, { execArgv: [] });
    const [reply] = (await once(child, 'message')) as [Reply];
    return { child, port: 'port' in reply ? reply.port : port };
  };
  let { child, port } = await launch(0);
  const send = (request: PlatformRequest) => child.send(request);
  const kill = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };

  return {
    url: `http://127.0.0.1:${port}`,
    behave(change) {
      behaviour = { ...behaviour, ...change };
      send({ behave: behaviour });
    },
    async count(isListed = false) {
      const replied = once(child, 'message');
      send({ count: { isListed } });
      const [reply] = (await replied) as [Reply];
      return 'counts' in reply ? reply.counts : { calls: 0, maxInFlight: 0, arrived: [] };
    },
    effects() {
      const counts = new Map<string, number>();
      for (const id of readFileSync(ledgerFile, 'utf8').split('\n').filter(Boolean)) {
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      return counts;
    },
    async crash() {
      await kill();
      ({ child, port } = await launch(port));
      send({ behave: behaviour });
    },
    close: kill,
  };
}
