import { changeOf } from '../cache/invalidation.ts';
import type { Scope } from '../cache/scope.ts';
import { RequestStats } from '../cache/stats.ts';
import { createLoaders, type Loaders } from '../loaders/index.ts';
import { toEnded } from '../upstream/ending.ts';
import type { Upstream } from '../upstream/index.ts';
import type { PageLimits } from './connection.ts';
import type { Explain } from './explain/explain-operations.ts';
import { type Session, watched } from './session.ts';

/** A change of the upstream. */
type Change<T> = (upstream: Upstream, signal: AbortSignal) => Promise<T>;

/** What a mutation was given. */
interface ChangeInput {
  readonly idempotencyKey?: string | null | undefined;
}

/** What the resolvers of one operation share. */
export interface OperationContext {
  readonly requestId: string;
  /** How often we ask: the only door for reads. */
  readonly loaders: Loaders;
  readonly upstream: Upstream;
  readonly pages: PageLimits;
  /** Who asks. An answer for which it was looked at serves nobody else: several callers may have one scope. */
  readonly session: Session;
  /** What the operation asked of the upstream so far. */
  readonly meter: RequestStats;
  /** To be told once, when the operation's document was found valid and within its limits, whoever runs it. */
  readonly onAdmitted: (() => void) | undefined;
  /** What is to be told besides the answer, or, as a plan, instead of it. */
  readonly explain: Explain | undefined;
  /**
   * Runs one change, the only door for writes. Everything read before it is forgotten afterwards, whatever became
   * of it, so that what follows sees its effect. A change whose input has an idempotency key happens once for it.
   */
  write<T>(operation: string, input: ChangeInput, change: Change<T>): Promise<T>;
}

interface OperationOptions {
  readonly requestId: string;
  /** Aborts when nobody waits for the operation any more. */
  readonly signal: AbortSignal;
  /** Whose eyes the operation sees with. */
  readonly scope: Scope;
  readonly session: Session;
  readonly pages: PageLimits;
  /** How many calls the operation may make. */
  readonly maxCalls: number;
  readonly onAdmitted?: (() => void) | undefined;
  readonly explain?: Explain | undefined;
}

/** Makes the context of one operation. */
export function createContext(options: OperationOptions): OperationContext {
  const { requestId, signal, scope, session, pages, maxCalls, onAdmitted, explain } = options;
  const meter = new RequestStats(maxCalls);
  const loaders = createLoaders(scope, signal, meter);
  return {
    requestId,
    loaders,
    upstream: scope.upstream,
    pages,
    session: watched(session, () => {
      meter.uncacheable = true;
    }),
    meter,
    onAdmitted,
    explain,
    async write(operation, { idempotencyKey: key, ...input }, change) {
      // A change that has begun is brought to its end; one that nobody waits for does not begin.
      if (signal.aborted) throw toEnded(operation, signal);
      const run = async () => {
        meter.countCall(operation);
        return change(scope.upstream, signal);
      };
      try {
        return await (key == null ? run() : scope.idempotency.run({ operation, key, input }, run));
      } finally {
        loaders.clear();
        scope.cache.invalidate(changeOf(input));
      }
    },
  };
}
