import type { Signal } from '../core/abort.ts';
import type { Work } from '../core/work.ts';
import type { CacheStore, Partition } from './store.ts';

/** The queries of one caller that run now. */
export type RunningQueries = ReturnType<typeof createRunningQueries>;

/** The result of a query. */
interface QueryResult {
  readonly errors: readonly unknown[];
}

interface RunningQuery {
  readonly generation: number;
  readonly work: Work;
  /** `undefined` where the result cannot be shared; it never rejects. */
  readonly result: Promise<QueryResult | undefined>;
}

type Run<T> = () => T | Promise<T>;

/** Makes the running queries of one caller, whose results are out of reach when their copies are cleared. */
export function createRunningQueries(store: CacheStore, partition: Partition) {
  const running = new Map<string, RunningQuery>();

  /** Equal queries can only come while this one waits. */
  const start = <T extends QueryResult>(key: string, work: Work, run: Run<T>): T | Promise<T> => {
    const { generation } = store;
    const result = run();
    if (!(result instanceof Promise)) return result;
    const settle = (settled?: T) => {
      if (running.get(key) === query) running.delete(key);
      return settled?.errors.length === 0 && !work.uncacheable ? settled : undefined;
    };
    const query: RunningQuery = { generation, work, result: result.then(settle, () => settle()) };
    running.set(key, query);
    return result;
  };

  /** Waits for an equal query, which continues even if its own client disconnects. */
  const join = async ({ work, result }: RunningQuery, signal: Signal): Promise<QueryResult | undefined> => {
    const release = work.share();
    signal.addEventListener('abort', release);
    const joined = await result;
    signal.removeEventListener('abort', release);
    return joined;
  };

  return {
    /**
     * Gives the result of an equal query which runs now, unless something was changed since it began; else that of `run`. Only a
     * result without errors whose work is cacheable serves anybody else.
     *
     * @param name of the query with its variables.
     */
    run<T extends QueryResult>(name: string, work: Work, run: Run<T>): T | Promise<T> {
      // Where several callers share the cache, each waits for queries of their own only.
      const key = partition.keyOf(`${work.caller} ${name}`);
      const other = running.get(key);
      const { signal } = work;
      if (other?.generation !== store.generation || signal.aborted) return start(key, work, run);
      return join(other, signal).then((joined) => {
        if (joined === undefined) return start(key, work, run);
        work.dependOn(other.work);
        // The results of an operation have one type.
        return joined as T;
      });
    },
  };
}
