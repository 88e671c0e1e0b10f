import type { Settings } from '../config/settings.ts';
import type { ClientName, CurrentRequest, Observers } from '../core/observers.ts';
import type { Work } from '../core/work.ts';
import { createContext, type Explain } from '../graphql/context.ts';
import { type Answered, type PreparedOperation, runOperation } from '../graphql/operations.ts';
import { pageLimitsOf } from '../graphql/relay.ts';
import type { Caller } from './auth/identity.ts';

/** How an operation runs that no request of the GraphQL route asks for. */
interface RunOptions {
  readonly current: CurrentRequest;
  readonly client: ClientName;
  readonly work: Work;
  readonly explain?: Explain | undefined;
  /** An idempotency key: its changes happen once, however often it runs with it. */
  readonly changeKey?: string | undefined;
}

/** Runs an operation on behalf of a caller, and tells the observers. */
export type RunFor = (
  caller: Caller,
  operation: PreparedOperation,
  variables: Readonly<Record<string, unknown>>,
  options: RunOptions,
) => Promise<Answered>;

export function createRunFor({
  settings,
  observers,
}: {
  readonly settings: Settings;
  readonly observers: Observers;
}): RunFor {
  const pages = pageLimitsOf(settings);
  return async ({ scope, session, clearRefusedCookie }, operation, variables, options) => {
    const { current, client, work, explain, changeKey } = options;
    const { ids } = current;
    const given = { ids, client, work, scope, session, explain, changeKey };
    const context = createContext({ ...given, pages });
    const answered = await runOperation(operation, variables, context);
    clearRefusedCookie?.();
    observers.operation(answered.report, current);
    return answered;
  };
}
