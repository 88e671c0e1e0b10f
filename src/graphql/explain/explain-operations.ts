import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';

import type { RequestStats } from '../../cache/stats.ts';
import type { OperationContext } from '../context.ts';
import { type CostLimits, createPlan } from './plan.ts';

/** What a request wants to be told besides its answer, or instead of it: the calls that it made, or those it would make. */
export type Explain = 'calls' | 'plan';

/**
 * Tells in `extensions.upstream` what an operation asked of the platform, or answers by `extensions.plan` what it would ask,
 * without asking any of it.
 */
export function explainOperations(limits: CostLimits): ApolloServerPlugin<OperationContext> {
  return {
    async requestDidStart() {
      return {
        async responseForOperation({ schema, document, operation, request, contextValue }) {
          const { explain, pages, upstream } = contextValue;
          if (explain !== 'plan') return null;
          const { variables = {} } = request;
          const basis = { pages, dialect: upstream.dialect };
          const plan = createPlan({ schema, document, operation, variables }, basis, limits);
          return {
            http: { headers: new HeaderMap() },
            body: { kind: 'single', singleResult: { data: null, extensions: { plan } } },
          };
        },
        async willSendResponse({ response: { body }, contextValue: { explain, meter } }) {
          if (explain !== 'calls' || body.kind !== 'single') return;
          const { extensions } = body.singleResult;
          body.singleResult.extensions = { ...extensions, upstream: tell(meter) };
        },
      };
    },
  };
}

/** Numbers alone: no address and no value is told. */
const tell = ({ calls, maxCalls, coalesced, notModified, fresh, stale, callsByOperation }: RequestStats) => ({
  calls,
  left: maxCalls - calls,
  coalesced,
  notModified,
  fresh,
  stale: stale.length,
  operations: Object.fromEntries(callsByOperation),
});
