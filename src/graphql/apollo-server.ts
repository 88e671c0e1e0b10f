import {
  ApolloServer,
  type ApolloServerPlugin,
  type HTTPGraphQLRequest,
  type HTTPGraphQLResponse,
} from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';

import type { Log } from '../core/log.ts';
import type { OperationContext } from './context.ts';
import { needsUnknownTypes, type Replaced } from './documents.ts';
import { DOCUMENT_FAULT, DOCUMENT_FAULTS, formatError, type MissingTypes, missingTypesError } from './errors.ts';
import { LIMITS } from './limits.ts';
import { createPreparedOperations, type PreparedOperations, reportOperation, runOperation } from './operations.ts';
import { createSchema, printSdl } from './schema.ts';

/** Answers GraphQL for one version of the schema. It opens no port: the HTTP route hands requests to it. */
export interface GraphqlServer {
  readonly schema: GraphQLSchema;
  /** Operations that the server has admitted before, which the route runs directly. */
  readonly prepared: PreparedOperations;
  /** Answers everything, also what is unusual or wrong, as GraphQL over HTTP says. */
  execute(request: HTTPGraphQLRequest, context: OperationContext): Promise<HTTPGraphQLResponse>;
  /** Gives the schema as SDL. */
  sdl(): string;
}

/** A step in making the public schema: gives the schema with what it adds. It leaves what it is given as it is. */
export type SchemaStep = (schema: GraphQLSchema) => GraphQLSchema;

/** Holds the current schema, and answers GraphQL while it changes. */
export interface SchemaManager {
  /** What answers a request that comes now, to its end. To be called once the schema was made. */
  current(): GraphqlServer;
  /** Adds a step. Steps are taken in the order in which they were added, from the generic graph on. */
  addStep(step: SchemaStep): void;
  /** Makes the schema anew. Resolves when requests that come are answered by it. */
  refresh(): Promise<void>;
  /** Calls back with each schema that takes the place of another. */
  onReplaced(listener: (replaced: Replaced) => Promise<void> | void): void;
  /** Why the schema lacks the types of forms; `undefined` where it does not. Set by what adds them. */
  missing: () => MissingTypes | undefined;
}

interface ServerOptions {
  readonly log: Log;
  /** Whether clients may see the schema. */
  readonly isIntrospectable: boolean;
}

/**
 * Makes the holder, which has no schema yet. Each version prepares operations of its own, so that nothing runs on one schema
 * that was found valid on another. A version ends with the last request that it answers: it holds nothing that would have to be
 * closed.
 */
export function createSchemaManager(options: ServerOptions): SchemaManager {
  const steps: SchemaStep[] = [];
  const listeners: Parameters<SchemaManager['onReplaced']>[0][] = [];
  let version = 0;
  let current: GraphqlServer | undefined;

  const manager: SchemaManager = {
    missing: () => undefined,
    current() {
      if (current === undefined) throw new Error('The schema has not been made yet.');
      return current;
    },
    addStep: (step) => void steps.push(step),
    onReplaced: (listener) => void listeners.push(listener),
    async refresh() {
      const own = ++version;
      const schema = steps.reduce((made, step) => step(made), createSchema());
      const server = await startServer({ ...options, schema, version: own, missing: () => manager.missing() });
      // Another schema may have come while this one was started.
      if (own !== version) return;
      const before = current?.schema;
      current = server;
      if (before) await Promise.all(listeners.map((listener) => listener({ before, after: schema })));
    },
  };
  return manager;
}

interface SchemaVersion extends ServerOptions {
  readonly schema: GraphQLSchema;
  /** Tells the schema from those before it. */
  readonly version: number;
  readonly missing: SchemaManager['missing'];
}

/** Starts Apollo Server, whose executor runs prepared operations. */
async function startServer({ schema, version, log, isIntrospectable, missing }: SchemaVersion): Promise<GraphqlServer> {
  const prepared = createPreparedOperations({ schema, version, isIntrospectable });
  const server = new ApolloServer<OperationContext>({
    gateway: createExecutor(schema, prepared),
    formatError: (formatted, thrown) => formatError(formatted, thrown, isIntrospectable),
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
      // Apollo Server turns these on by itself: for a subgraph, and where the environment has an APOLLO_KEY.
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      admitLack(schema, missing),
      finishResponse,
    ],
  });
  await server.start();
  let sdl: string | undefined;

  return {
    schema,
    prepared,
    execute: (httpGraphQLRequest, context) =>
      server.executeHTTPGraphQLRequest({ httpGraphQLRequest, context: async () => context }),
    sdl() {
      sdl ??= printSdl(schema);
      return sdl;
    },
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
const admitLack = (schema: GraphQLSchema, missing: SchemaManager['missing']): ApolloServerPlugin<OperationContext> => ({
  async requestDidStart() {
    return {
      async willSendResponse({ response: { http, body }, document, errors = [] }) {
        const isInvalid = errors.some(({ extensions: { code } }) => code === 'GRAPHQL_VALIDATION_FAILED');
        const lack = isInvalid ? missing() : undefined;
        if (!lack || body.kind !== 'single' || !document || !needsUnknownTypes(document, schema)) return;
        http.status = 503;
        http.headers.set('retry-after', String(Math.ceil(lack.retryAfterMs / 1_000)));
        body.singleResult.errors = [missingTypesError(lack)];
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
