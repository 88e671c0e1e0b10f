import type { ApolloServerPlugin, GraphQLResponse } from '@apollo/server';

import type { Log } from '../telemetry/log.ts';
import type { OperationContext } from './context.ts';
import { isUnexpected } from './format-error.ts';

/** An operation's name is the client's to choose, so only this much of it is kept. */
const MAX_NAME_LENGTH = 100;

/**
 * Logs one line for each operation: its request's id, its name and kind, how long it took, what it asked of the upstream
 * and what became of it. What nobody expected is logged beside it, with where it happened.
 */
export function logOperations(log: Log): ApolloServerPlugin<OperationContext> {
  return {
    async requestDidStart() {
      const startedAtMs = performance.now();
      return {
        async didEncounterErrors({ errors, contextValue: { requestId } }) {
          for (const { originalError } of errors.filter(isUnexpected)) {
            log.error({ requestId, err: originalError }, 'unexpected error');
          }
        },
        async willSendResponse({ operation, operationName, response, contextValue: { requestId, meter } }) {
          log.info(
            {
              requestId,
              operation: operationName?.slice(0, MAX_NAME_LENGTH),
              kind: operation?.operation,
              durationMs: Math.round((performance.now() - startedAtMs) * 10) / 10,
              upstreamCalls: meter.calls,
              ...outcomeOf(response),
            },
            'operation',
          );
        },
      };
    },
  };
}

/** `ok`, `partial` where some fields failed, `failed` where there is no data at all; and the codes of what failed. */
function outcomeOf({ body }: GraphQLResponse) {
  if (body.kind !== 'single' || body.singleResult.errors === undefined) return { outcome: 'ok' };
  const { data, errors } = body.singleResult;
  const hasData = data != null && Object.values(data).some((value) => value !== null);
  const codes = [...new Set(errors.map(({ extensions }) => extensions?.['code']))];
  return { outcome: hasData ? 'partial' : 'failed', codes };
}
