import type { Settings } from '../config/settings.ts';
import type { ClientName, CurrentRequest, Observers } from '../core/observers.ts';
import { createContext, type Explain } from '../graphql/context.ts';
import { type AnsweredOperation, type PreparedOperation, runOperation, wordAnswer } from '../graphql/operations.ts';
import { pageSizes } from '../graphql/relay.ts';
import type { Identity } from './auth/identity.ts';

/** How an operation runs that no request of the GraphQL route asks for. */
export interface RunOptions {
  readonly current: CurrentRequest;
  readonly client: ClientName;
  readonly signal: AbortSignal;
  readonly share: () => () => void;
  readonly explain?: Explain | undefined;
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
    const { current, client, explain } = options;
    const { ids } = current;
    const given = { ids, client, work: options, scope, session, explain, onAnswered: () => undefined };
    const context = createContext({ ...limits, ...given });
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
