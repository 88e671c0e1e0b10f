import type { Signal } from '../core/abort.ts';
import type { Work } from '../core/work.ts';
import type { CacheStore, KeptResponse, Partition, QueryResult } from './store.ts';

/** Results of one caller's queries. */
export type ResponseCache = ReturnType<typeof createResponseCache>;

interface RunningQuery {
  readonly generation: number;
  readonly work: Work;
  /** `undefined` where the response cannot be shared; it never rejects. */
  readonly response: Promise<KeptResponse | undefined>;
}

/** Makes the response cache of one caller, in the partition that their other copies are in: both are cleared together. */
export function createResponseCache(store: CacheStore, partition: Partition) {
  const { responses, now } = store;
  const running = new Map<string, RunningQuery>();

  const find = (key: string): KeptResponse | undefined => {
    const kept = responses.get(key);
    if (kept === undefined) return undefined;
    if (now() < kept.expiresAtMs && !store.isStale(kept.tags, kept.generation)) return kept;
    responses.delete(key);
    return undefined;
  };

  const keep = (key: string, result: QueryResult, { expiresAtMs, tags }: Work, generation: number) => {
    const bytes = Buffer.byteLength(result.text ?? '') + BYTES_PER_TAG * tags.size;
    const response: KeptResponse = { result, bytes, expiresAtMs, tags, generation };
    if (Number.isFinite(expiresAtMs) && now() < expiresAtMs) responses.set(key, response);
    return response;
  };
  /** Where several callers share the cache, each waits for queries of their own only. */
  const runningKey = (key: string, { caller }: Work): string => `${caller} ${key}`;
  /** Equal queries can only come while this one waits. */
  const start = <T extends QueryResult>(key: string, work: Work, run: Run<T>): T | Promise<T> => {
    const { generation } = store;
    const toShared = (result: T) =>
      result.errors.length === 0 && !work.uncacheable ? keep(key, result, work, generation) : undefined;
    const result = run();
    if (!(result instanceof Promise)) {
      toShared(result);
      return result;
    }
    const sharedAs = runningKey(key, work);
    const settle = (settled?: T) => {
      if (running.get(sharedAs) === query) running.delete(sharedAs);
      return settled && toShared(settled);
    };
    const query: RunningQuery = { generation, work, response: result.then(settle, () => settle()) };
    running.set(sharedAs, query);
    return result;
  };

  /** Waits for an equal query, which continues even if its own client disconnects. */
  const join = async ({ work, response }: RunningQuery, signal: Signal): Promise<KeptResponse | undefined> => {
    const release = work.share();
    signal.addEventListener('abort', release);
    const joined = await response;
    signal.removeEventListener('abort', release);
    return joined;
  };

  return {
    /**
     * Gives the result of a query: a kept one while all that it was made of is fresh; that of an equal query which runs now,
     * unless something was changed since it began; else that of `run`. Only a result without errors whose work is cacheable
     * serves anybody else.
     *
     * @param name of the query with its variables.
     */
    get<T extends QueryResult>(name: string, work: Work, run: Run<T>): T | Promise<T> {
      // The results of an operation have one type.
      const serve = (known: KeptResponse) => {
        work.dependOn(known);
        return known.result as T;
      };
      const key = partition.keyOf(name);
      const kept = find(key);
      if (kept) {
        work.fresh++;
        return serve(kept);
      }
      const other = running.get(runningKey(key, work));
      const { signal } = work;
      if (other?.generation !== store.generation || signal.aborted) return start(key, work, run);
      return join(other, signal).then((joined) => (joined ? serve(joined) : start(key, work, run)));
    },
  };
}

type Run<T> = () => T | Promise<T>;

/** A tag names a form or an instance by their ids. */
const BYTES_PER_TAG = 200;
