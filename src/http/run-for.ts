import type { RequestStats } from '../cache/stats.ts';
import type { Settings } from '../config/settings.ts';
import type { Work } from '../core/errors.ts';
import type { ClientName, CurrentRequest, Observers } from '../core/observers.ts';
import { createContext, type Explain } from '../graphql/context.ts';
import { type AnsweredOperation, type PreparedOperation, runOperation, wordAnswer } from '../graphql/operations.ts';
import { pageSizes } from '../graphql/relay.ts';
import type { Identity } from './auth/identity.ts';

/** How an operation runs that no request of the GraphQL route asks for. */
export interface RunOptions {
  readonly current: CurrentRequest;
  readonly client: ClientName;
  readonly work: Work;
  readonly explain?: Explain | undefined;
  /** Makes its changes happen once, however often it runs with this key. */
  readonly changeKey?: string | undefined;
  /** Those of an ordinary operation where they are not given. */
  readonly stats?: RequestStats;
}

/** Runs an operation on behalf of a caller, and tells the observers. */
export type RunFor = (
  identity: Identity,
  operation: PreparedOperation,
  variables: Readonly<Record<string, unknown>>,
  options: RunOptions,
) => Promise<AnsweredOperation>;

export function createRunFor({
  settings,
  observers,
}: {
  readonly settings: Settings;
  readonly observers: Observers;
}): RunFor {
  const limits = { pages: pageSizes(settings), maxCalls: settings.COST_MAX_CALLS };
  return async ({ scope, session, clearRefusedCookie }, operation, variables, options) => {
    const { current, client, work, explain, changeKey, stats } = options;
    const { ids } = current;
    const given = { ids, client, work, scope, session, explain, changeKey, onAnswered: () => undefined };
    const context = createContext({ ...limits, ...given, ...(stats && { stats }) });
    try {
      const answered = wordAnswer(await runOperation(operation, variables, context), operation, context);
      clearRefusedCookie?.();
      observers.operation(answered.report, current);
      return answered;
    } finally {
      context.stats.end();
    }
  };
}
