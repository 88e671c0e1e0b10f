import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { GraphQLSchema } from 'graphql';

import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { answerStatus } from './answer-status.ts';
import { createCompiler } from './compiler.ts';
import type { OperationContext } from './context.ts';
import { createDocumentStore, type DocumentStore } from './document-store.ts';
import { createExecution } from './execution.ts';
import { explainOperations } from './explain/explain-operations.ts';
import { formatError } from './format-error.ts';
import { createLane, type Lane } from './lane/index.ts';
import { checkOperations, createChecks, type OperationLimits } from './limits/index.ts';
import { createOperationLog, logOperations } from './operation-log.ts';
import { printSdl } from './schema.ts';
import { markStale } from './stale.ts';

interface GraphOptions {
  readonly schema: GraphQLSchema;
  /** Tells the graph from those that it replaces. */
  readonly edition?: number;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Whether clients may ask what can be asked. */
  readonly isIntrospectable: boolean;
  readonly limits: OperationLimits;
  /** How many parsed documents are kept. */
  readonly maxDocuments: number;
  /** Whether what was admitted once goes a shorter way. */
  readonly hasLane: boolean;
}

/** What answers GraphQL. It opens no port: the edge hands requests to it. */
export interface Graph {
  /** Answers everything, also what is unusual or wrong. */
  readonly server: ApolloServer<OperationContext>;
  /** Answers what the server has admitted; `undefined` where everything goes the long way. */
  readonly lane: Lane | undefined;
  /** Gives the schema as SDL. */
  sdl(): string;
}

/** Makes the GraphQL server, and the short lane beside it. */
/** How many errors validation lists before it stops. */
const VALIDATION_ERRORS_MAX = 10;

export function createGraph(options: GraphOptions): Graph {
  const { schema, edition = 0, isIntrospectable, limits, maxDocuments, hasLane } = options;
  const compiler = createCompiler(schema, { maxLength: limits.answerLength, isIntrospectable });
  const checks = createChecks(limits);
  const log = createOperationLog(options.log, options.metrics);
  const documents = createDocumentStore(maxDocuments);
  const lane = hasLane ? createLane({ schema, edition, compiler, checks, log, maxDocuments }) : undefined;
  const server = new ApolloServer<OperationContext>({
    gateway: createExecution({ schema, compiler }),
    formatError,
    stringifyResult: (result) => `${JSON.stringify(result)}\n`,
    // Who may not see the schema is answered by an empty view of it, when the operation is executed.
    introspection: true,
    hideSchemaDetailsFromClientErrors: !isIntrospectable,
    // A suggestion compares a wrong name with every name of the schema, and a request may hold hundreds of wrong ones.
    validationOptions: { hideSuggestions: !isIntrospectable, maxErrors: VALIDATION_ERRORS_MAX },
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxTokens: limits.tokens },
    documentStore: documents,
    // The edge has put in the text by then, whichever way the document was named.
    persistedQueries: false,
    // The edge checks where a request comes from, before it gets here.
    csrfPrevention: false,
    // main.ts owns the order of shutdown.
    stopOnTerminationSignals: false,
    logger: options.log,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      answerStatus,
      checkOperations(checks),
      requestIds,
      markStale,
      tellAdmitted({ lane, documents }),
      explainOperations(limits),
      logOperations(log),
    ],
  });
  let sdl: string | undefined;
  return {
    server,
    lane,
    sdl() {
      sdl ??= printSdl(schema);
      return sdl;
    },
  };
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

interface Told {
  readonly lane: Lane | undefined;
  readonly documents: DocumentStore;
}

/** Tells that an operation was found valid and within its limits, so that its document may be kept, and the lane run it. */
const tellAdmitted = ({ lane, documents }: Told): ApolloServerPlugin<OperationContext> => ({
  async requestDidStart() {
    return {
      async executionDidStart({ source, document, request: { operationName }, contextValue: { onAdmitted } }) {
        onAdmitted?.();
        if (documents.hasKept(document)) lane?.admit({ text: source, operationName }, document);
      },
    };
  },
});
