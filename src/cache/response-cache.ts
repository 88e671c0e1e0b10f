import type { Work } from '../core/errors.ts';
import { OpenMap } from '../core/open-items.ts';
import type { RequestStats } from './stats.ts';
import type { Answer, CacheStore, KeptResponse, Partition } from './store.ts';

/** Answers to one caller's queries. */
export interface ResponseCache {
  /**
   * Gives the answer to a query: a kept one while all that it was made of is fresh; that of an equal query which runs now,
   * unless something was changed since it began; else what `make` gives. Only a whole answer whose stats are cacheable
   * serves anybody else.
   *
   * @param name of the query with its variables.
   */
  get<T extends Made>(name: string, operation: SharedOperation, make: Make<T>): T | Promise<T>;
}

/** The querying operation. */
interface SharedOperation {
  /** Hold what the answer depends on, whether it is executed or comes from the cache. */
  readonly stats: RequestStats;
  /** Its `signal` aborts when no client waits for its response. */
  readonly work: Work;
  /** Where several callers share the cache, each waits for queries of their own only. */
  readonly scope: { readonly caller?: string | undefined };
}

interface RunningQuery {
  readonly generation: number;
  readonly work: Work;
  /** `undefined` where the response cannot be shared; it never rejects. */
  readonly response: Promise<KeptResponse | undefined>;
}

/** Makes the response cache of one caller, in the partition that their other copies are in: both are cleared together. */
export function createResponseCache(store: CacheStore, partition: Partition): ResponseCache {
  const { responses, now } = store;
  const running = new OpenMap<string, RunningQuery>();

  const find = (key: string): KeptResponse | undefined => {
    const kept = responses.get(key);
    if (kept === undefined) return undefined;
    if (now() < kept.expiresAtMs && !store.isStale(kept.tags, kept.generation)) return kept;
    responses.delete(key);
    return undefined;
  };

  const keep = (key: string, answer: Answer, { expiresAtMs, tags }: RequestStats, generation: number): KeptResponse => {
    const bytes = Buffer.byteLength(answer.body) + BYTES_PER_TAG * tags.size;
    const response = { answer, bytes, expiresAtMs, tags, generation };
    if (Number.isFinite(expiresAtMs) && now() < expiresAtMs) responses.set(key, response);
    return response;
  };
  const runningKey = (key: string, { scope }: SharedOperation): string => `${scope.caller} ${key}`;
  /** Equal queries can only come while this one waits. */
  const run = <T extends Made>(key: string, operation: SharedOperation, make: Make<T>): T | Promise<T> => {
    const { stats, work } = operation;
    const { generation } = store;
    const toShared = (made: T) =>
      'body' in made && made.isWhole && !stats.uncacheable ? keep(key, made, stats, generation) : undefined;
    const made = make();
    if (!(made instanceof Promise)) {
      toShared(made);
      return made;
    }
    const sharedAs = runningKey(key, operation);
    const settle = (answer?: T) => {
      if (running.get(sharedAs) === own) running.delete(sharedAs);
      return answer && toShared(answer);
    };
    const own: RunningQuery = { generation, work, response: made.then(settle, () => settle()) };
    running.set(sharedAs, own);
    return made;
  };

  /** Waits for an equal query, which continues even if its own client disconnects. */
  const join = async ({ work, response }: RunningQuery, signal: AbortSignal): Promise<KeptResponse | undefined> => {
    const release = work.share();
    signal.addEventListener('abort', release, { once: true });
    const joined = await response;
    signal.removeEventListener('abort', release);
    return joined;
  };

  return {
    get<T extends Made>(name: string, operation: SharedOperation, make: Make<T>) {
      const { stats } = operation;
      // An operation's answers have one type.
      const serve = (known: KeptResponse) => {
        stats.dependOn(known);
        return known.answer as Answer & T;
      };
      const key = partition.keyOf(name);
      const kept = find(key);
      if (kept) {
        stats.fresh++;
        return serve(kept);
      }
      const other = running.get(runningKey(key, operation));
      const { signal } = operation.work;
      if (other?.generation !== store.generation || signal.aborted) return run(key, operation, make);
      return join(other, signal).then((joined) => (joined ? serve(joined) : run(key, operation, make)));
    },
  };
}

type Made = Answer | { readonly refusal: unknown };
type Make<T> = () => T | Promise<T>;

/** A tag names a form or an instance by their ids. */
const BYTES_PER_TAG = 200;
