import {
  ApolloServer,
  type ApolloServerPlugin,
  type HTTPGraphQLRequest,
  type HTTPGraphQLResponse,
} from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';

import type { Log } from '../core/log.ts';
import type { OperationContext } from './context.ts';
import { needsUnknownTypes } from './documents.ts';
import { DOCUMENT_FAULT, formatError, type MissingTypes, wordMissingTypes } from './errors.ts';
import { LIMITS } from './limits.ts';
import { createPreparedOperations, type PreparedOperations, reportOperation, runOperation } from './operations.ts';
import { printSdl } from './schema.ts';

/** Answers GraphQL for one version of the schema. It opens no port: the HTTP route hands requests to it. */
export interface GraphqlServer {
  /** Operations that the server has admitted before, which the route runs directly. */
  readonly prepared: PreparedOperations;
  /** Answers everything, also what is unusual or wrong, as GraphQL over HTTP says. */
  execute(request: HTTPGraphQLRequest, context: OperationContext): Promise<HTTPGraphQLResponse>;
  /** Gives the schema as SDL. */
  sdl(): string;
  stop(): Promise<void>;
}

/** Answers GraphQL while its schema changes. */
export interface SchemaManager {
  /** What answers a request that comes now, to its end. */
  current(): GraphqlServer;
  /** Lets requests that come be answered by another schema, as soon as that is ready. */
  replace(schema: GraphQLSchema): Promise<void>;
  stop(): Promise<void>;
}

interface ServerOptions {
  readonly log: Log;
  /** Whether clients may see the schema. */
  readonly isIntrospectable: boolean;
  /** Why the schema lacks the types of forms, where it does. */
  readonly missing: () => MissingTypes | undefined;
}

/**
 * Starts a server that can be replaced. Each prepares operations of its own, so that nothing runs on one schema that was
 * found valid on another. One that was replaced ends with the last request that it answers: it holds nothing that would
 * have to be closed.
 */
export async function startSchemaManager(first: GraphQLSchema, options: ServerOptions): Promise<SchemaManager> {
  let version = 0;
  let current = await startServer({ ...options, schema: first, version });

  return {
    current: () => current,
    async replace(schema) {
      const own = ++version;
      const server = await startServer({ ...options, schema, version: own });
      // Another schema may have come while this one was started.
      if (own === version) current = server;
    },
    stop: () => current.stop(),
  };
}

interface SchemaVersion extends ServerOptions {
  readonly schema: GraphQLSchema;
  /** Tells the schema from those before it. */
  readonly version: number;
}

/** Starts Apollo Server, whose executor runs prepared operations. */
async function startServer({ schema, version, log, isIntrospectable, missing }: SchemaVersion): Promise<GraphqlServer> {
  const prepared = createPreparedOperations({ schema, version, isIntrospectable });
  const server = new ApolloServer<OperationContext>({
    gateway: createExecutor(schema, prepared),
    formatError: (formatted, thrown) => formatError(formatted, thrown, { isIntrospectable }),
    // Who may not see the schema gets an empty view of it, when the operation is executed.
    introspection: true,
    hideSchemaDetailsFromClientErrors: !isIntrospectable,
    // A suggestion compares a wrong name with every name of the schema, and a request may hold hundreds of wrong ones.
    validationOptions: { hideSuggestions: !isIntrospectable, maxErrors: LIMITS.validationErrors },
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxTokens: LIMITS.tokens },
    // Operations are kept prepared.
    documentStore: null,
    // The route has put in the text, whichever way the document was named, and checked where the request comes from.
    persistedQueries: false,
    csrfPrevention: false,
    // main.ts owns the order of shutdown.
    stopOnTerminationSignals: false,
    logger: log,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      admitLack(schema, missing),
      finishResponse,
    ],
  });
  await server.start();
  let sdl: string | undefined;

  return {
    prepared,
    execute: (httpGraphQLRequest, context) =>
      server.executeHTTPGraphQLRequest({ httpGraphQLRequest, context: async () => context }),
    sdl() {
      sdl ??= printSdl(schema);
      return sdl;
    },
    stop: () => server.stop(),
  };
}

/** What Apollo Server gives an executor. */
interface ExecutorRequest {
  readonly source: string;
  readonly document: DocumentNode;
  readonly request: {
    readonly operationName?: string | undefined;
    readonly variables?: Readonly<Record<string, unknown>>;
  };
  readonly context: unknown;
}

/** Apollo Server takes an executor together with a schema as what it calls a gateway. */
function createExecutor(schema: GraphQLSchema, { get, prepare }: PreparedOperations) {
  return {
    onSchemaLoadOrUpdate(callback: (loaded: { apiSchema: GraphQLSchema; coreSupergraphSdl: string }) => void) {
      callback({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    load: async () => ({ executor: execute }),
    stop: async () => undefined,
  };

  async function execute({ source, document, request, context }: ExecutorRequest) {
    const { operationName, variables = {} } = request;
    const operation = get(source, operationName) ?? prepare(document, source, operationName);
    if (operation instanceof GraphQLError) return { errors: [operation] };
    const answer = await runOperation(operation, variables, context as OperationContext, { isShared: false });
    if ('refusal' in answer) return { errors: [answer.refusal] };
    const { data, extensions } = JSON.parse(answer.body);
    return { data, ...(answer.errors.length > 0 && { errors: answer.errors }), ...(extensions && { extensions }) };
  }
}

const GRAPHQL_MEDIA_TYPE = 'application/graphql-response+json';
const LEGACY_MEDIA_TYPE = 'application/json';

/** Codes of Apollo Server that say: the document or its variables are wrong. */
const DOCUMENT_FAULTS: readonly unknown[] = [
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
];

/**
 * Reports the outcome, and decides the status of a well-formed request for a document that is wrong: 400, but 200 for
 * clients who name `application/json` alone, as GraphQL over HTTP
 * wants for them. What a limit refuses is 400 for everybody.
 */
const finishResponse: ApolloServerPlugin<OperationContext> = {
  async requestDidStart({ request }) {
    return {
      async willSendResponse({ response, errors = [], operation, operationName, contextValue }) {
        const { http, body } = response;
        if (http.status !== undefined)
          http.status = statusFor(errors, http.status, request.http?.headers.get('accept'));

        if (body.kind !== 'single') return;
        const { data, errors: formatted = [] } = body.singleResult;
        const codes = formatted.map(({ extensions }) => extensions?.['code']);
        const hasData = Object.values(data ?? {}).some((value) => value !== null);
        const named = { name: operationName, kind: operation?.operation };
        contextValue.onAnswered(reportOperation(contextValue, named, { errors, codes, hasData }));
      },
    };
  },
};

/** Answers a document that may need the types of forms by 503 while these are missing. */
const admitLack = (schema: GraphQLSchema, missing: ServerOptions['missing']): ApolloServerPlugin<OperationContext> => ({
  async requestDidStart() {
    return {
      async willSendResponse({ response: { http, body }, document, errors = [] }) {
        const isInvalid = errors.some(({ extensions: { code } }) => code === 'GRAPHQL_VALIDATION_FAILED');
        const lack = isInvalid ? missing() : undefined;
        if (!lack || body.kind !== 'single' || !document || !needsUnknownTypes(document, schema)) return;
        http.status = 503;
        http.headers.set('retry-after', String(Math.ceil(lack.retryAfterMs / 1_000)));
        body.singleResult.errors = [wordMissingTypes(lack)];
      },
    };
  },
});

/** The status of a response with these errors, for the `Accept` of its client. */
export function statusFor(errors: readonly GraphQLError[], status: number, accept = ''): number {
  const isLegacy = accept.includes(LEGACY_MEDIA_TYPE) && !accept.includes(GRAPHQL_MEDIA_TYPE);
  return status === 400 && isLegacy && errors.length > 0 && errors.every(isDocumentFault) ? 200 : status;
}

const isDocumentFault = ({ extensions: { code, [DOCUMENT_FAULT]: mark } }: GraphQLError): boolean =>
  mark === true || DOCUMENT_FAULTS.includes(code);
