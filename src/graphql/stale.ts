import type { ApolloServerPlugin } from '@apollo/server';

import type { RequestStats } from '../cache/stats.ts';
import type { OperationContext } from './context.ts';

/** Says in an answer which reads an older copy answered, and how old it is; leaves any other answer as it is. */
export function withStale<A extends { extensions?: Record<string, unknown> }>(answer: A, { stale }: RequestStats): A {
  return stale.length === 0 ? answer : { ...answer, extensions: { ...answer.extensions, stale } };
}

/** Marks the answers that hold older copies. */
export const markStale: ApolloServerPlugin<OperationContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response: { body }, contextValue: { meter } }) {
        if (body.kind === 'single') body.singleResult = withStale(body.singleResult, meter);
      },
    };
  },
};
