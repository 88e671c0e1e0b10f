import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';

import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { OperationContext } from './context.ts';
import { isUnexpected } from './format-error.ts';

/** An operation's name is the client's to choose, so only this much of it is kept. */
const MAX_NAME_LENGTH = 100;

/** What became of an operation. */
export interface Outcome {
  readonly name: string | null | undefined;
  readonly kind: string | undefined;
  readonly startedAtMs: number;
  /** `undefined` where nothing was executed. */
  readonly data: object | null | undefined;
  /** As the client reads them. */
  readonly errors: readonly GraphQLFormattedError[] | undefined;
}

/** Writes down what operations do. */
export interface OperationLog {
  /** Logs one line for an operation: its request's id, its name and kind, how long it took, what it asked and its outcome. */
  operation(outcome: Outcome, context: OperationContext): void;
  /** Logs what nobody expected, with where it happened. */
  errors(errors: readonly GraphQLError[], context: OperationContext): void;
}

export function createOperationLog(log: Log, metrics?: Metrics): OperationLog {
  return {
    operation({ name, kind, startedAtMs, data, errors }, { requestId, meter }) {
      const durationMs = performance.now() - startedAtMs;
      const became = outcomeOf(data, errors);
      const { coalesced, notModified: not_modified, fresh, stale } = meter;
      const savings = { coalesced, not_modified, fresh, stale: stale.length };
      metrics?.operation({ kind, outcome: became.outcome, durationMs, savings });
      log.info(
        {
          requestId,
          operation: name?.slice(0, MAX_NAME_LENGTH),
          kind,
          durationMs: Math.round(durationMs * 10) / 10,
          upstreamCalls: meter.calls,
          ...became,
        },
        'operation',
      );
    },
    errors(errors, { requestId }) {
      for (const { originalError } of errors.filter(isUnexpected)) {
        log.error({ requestId, err: originalError }, 'unexpected error');
      }
    },
  };
}

/** Logs the operations that the server runs. */
export function logOperations(log: OperationLog): ApolloServerPlugin<OperationContext> {
  return {
    async requestDidStart() {
      const startedAtMs = performance.now();
      return {
        async didEncounterErrors({ errors, contextValue }) {
          log.errors(errors, contextValue);
        },
        async willSendResponse({ operation, operationName, response: { body }, contextValue }) {
          const { data, errors } = body.kind === 'single' ? body.singleResult : body.initialResult;
          log.operation({ name: operationName, kind: operation?.operation, startedAtMs, data, errors }, contextValue);
        },
      };
    },
  };
}

/** `ok`, `partial` where some fields failed, `failed` where there is no data at all; and the codes of what failed. */
function outcomeOf(data: Outcome['data'], errors: Outcome['errors']) {
  if (errors === undefined) return { outcome: 'ok' } as const;
  const hasData = data != null && Object.values(data).some((value) => value !== null);
  const codes = [...new Set(errors.map(({ extensions }) => extensions?.['code']))];
  return { outcome: hasData ? 'partial' : 'failed', codes } as const;
}
