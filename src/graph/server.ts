import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { GraphQLSchema } from 'graphql';

import type { Log } from '../telemetry/log.ts';
import { answerStatus } from './answer-status.ts';
import type { OperationContext } from './context.ts';
import { createDocumentStore } from './document-store.ts';
import { createExecution } from './execution.ts';
import { explainOperations } from './explain/explain-operations.ts';
import { formatError } from './format-error.ts';
import { createLimits, type OperationLimits } from './limits/index.ts';
import { logOperations } from './operation-log.ts';
import { markStale } from './stale.ts';

interface GraphOptions {
  readonly schema: GraphQLSchema;
  readonly log: Log;
  /** Whether clients may ask what can be asked. */
  readonly isIntrospectable: boolean;
  readonly limits: OperationLimits;
  /** How many parsed documents are kept. */
  readonly maxDocuments: number;
}

/** Makes the GraphQL server. It opens no port: the edge hands requests to it. */
export function createGraphServer(options: GraphOptions): ApolloServer<OperationContext> {
  const { schema, log, isIntrospectable, limits, maxDocuments } = options;
  return new ApolloServer<OperationContext>({
    gateway: createExecution({ schema, isIntrospectable, maxAnswerLength: limits.answerLength }),
    formatError,
    // Who may not see the schema is answered by an empty view of it, when the operation is executed.
    introspection: true,
    hideSchemaDetailsFromClientErrors: !isIntrospectable,
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxTokens: limits.tokens },
    documentStore: createDocumentStore(maxDocuments),
    // The edge has put in the text by then, whichever way the document was named.
    persistedQueries: false,
    // The edge checks where a request comes from, before it gets here.
    csrfPrevention: false,
    // main.ts owns the order of shutdown.
    stopOnTerminationSignals: false,
    logger: log,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      answerStatus,
      createLimits(limits),
      requestIds,
      markStale,
      tellAdmitted,
      explainOperations(limits),
      logOperations(log),
    ],
  });
}

/** Puts the request's id beside each error, so that a person who reports one can name it. */
const requestIds: ApolloServerPlugin<OperationContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response: { body }, contextValue: { requestId } }) {
        if (body.kind !== 'single' || body.singleResult.errors === undefined) return;
        body.singleResult.errors = body.singleResult.errors.map((error) => ({
          ...error,
          extensions: { ...error.extensions, requestId },
        }));
      },
    };
  },
};

/** Tells that an operation was found valid and within its limits, so that its document may be kept. */
const tellAdmitted: ApolloServerPlugin<OperationContext> = {
  async requestDidStart() {
    return {
      async executionDidStart({ contextValue: { onAdmitted } }) {
        onAdmitted?.();
      },
    };
  },
};
