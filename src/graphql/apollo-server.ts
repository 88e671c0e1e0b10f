import { ApolloServer, type ApolloServerPlugin, type HTTPGraphQLRequest } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';

import type { Log } from '../core/log.ts';
import type { OperationReport, RequestIds } from '../core/observers.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { checkRootCosts } from './admission/cost.ts';
import { needsUnknownTypes, type Replaced } from './admission/documents.ts';
import { findTextExcess, LIMITS } from './admission/limits.ts';
import type { OperationContext } from './context.ts';
import { formatError, type MissingTypes, missingTypesError, withIds } from './errors.ts';
import {
  type Answered,
  createPreparedOperations,
  type PreparedOperation,
  type PreparedOperations,
  type PreparedOptions,
  reportOperation,
} from './operations.ts';
import { createSchema, leftOutOf, shareExtensions } from './schema.ts';

/** One version of the schema, which admits requests and runs none. */
export interface SchemaVersion {
  readonly schema: GraphQLSchema;
  /** The operations that were admitted before. */
  readonly prepared: PreparedOperations;
  /**
   * Parses and validates the document of a request, and prepares its operation, also where the request is unusual.
   *
   * @param text of the document; `undefined` where the request names none.
   * @throws {GraphQLError} for a document beyond the limits.
   */
  admit(
    request: HTTPGraphQLRequest,
    text: string | undefined,
    context: OperationContext,
  ): Promise<PreparedOperation | Refused>;
}

/** The answer to a request that is not admitted, as GraphQL over HTTP says. */
export interface Refused extends Omit<Answered, 'report'> {
  /** `undefined` where the request has no document. */
  readonly report: OperationReport | undefined;
}

/** A step in making the public schema: gives the schema with what it adds. It leaves what it is given as it is. */
type SchemaStep = (schema: GraphQLSchema) => GraphQLSchema;

/**
 * When a step is taken: it adds what the platform has, it is the team's own, it derives fields from those that are there then, or
 * it describes the whole. Steps of one stage do not depend on each other, and so nothing on the order of features.
 */
const STAGES = ['platform', 'team', 'derived', 'whole'] as const;
type SchemaStage = (typeof STAGES)[number];
type OnReplaced = (replaced: Replaced) => Promise<void> | void;

/** Holds the current schema, and admits requests while it changes. */
export type SchemaManager = ReturnType<typeof createSchemaManager>;

interface ManagerOptions {
  readonly log: Log;
  /** Whether clients may see the schema. */
  readonly isIntrospectable: boolean;
  /** Gives the ids of the current request. */
  readonly ids: () => RequestIds | undefined;
}

/**
 * Makes the holder, which has no schema yet. Each version prepares operations of its own, so that nothing runs on one schema
 * that was found valid on another. A version ends with its last request: it holds nothing that would have to be closed.
 */
export function createSchemaManager({ list, ...options }: ManagerOptions & Pick<Dialect, 'list'>) {
  const steps: Readonly<Record<SchemaStage, SchemaStep[]>> = { platform: [], team: [], derived: [], whole: [] };
  const listeners: OnReplaced[] = [];
  let version = 0;
  let current: SchemaVersion | undefined;

  const manager = {
    /** Why the schema lacks the types of forms; `undefined` where it does not. Set by what adds them. */
    missing: (): MissingTypes | undefined => undefined,
    /** The version for a request that comes now, to its end. To be called once the schema was made. */
    current(): SchemaVersion {
      if (current === undefined) throw new Error('The schema has not been made yet.');
      return current;
    },
    /** Adds a step. Steps are taken stage by stage, from the generic graph on. */
    addStep: (stage: SchemaStage, step: SchemaStep) => void steps[stage].push(step),
    /** Calls back with each schema that takes the place of another. */
    onReplaced: (listener: OnReplaced) => void listeners.push(listener),
    /** Makes the schema anew. Resolves when requests that come are admitted by it. */
    async refresh(): Promise<void> {
      const own = ++version;
      const inOrder = STAGES.flatMap((stage) => steps[stage]);
      const schema = inOrder.reduce((made, step) => step(made), createSchema(list));
      checkRootCosts(schema);
      shareExtensions(schema);
      const next = await createVersion({ ...options, schema, version: own, missing: () => manager.missing() });
      // Another schema may have come while this one was started.
      if (own !== version) return;
      const before = current?.schema;
      current = next;
      for (const place of leftOutOf(schema)) {
        if (!leftOutOf(before).includes(place)) options.log.warn({ place }, 'a field is left out: its name is taken');
      }
      if (before) await Promise.all(listeners.map((listener) => listener({ before, after: schema })));
    },
  };
  return manager;
}

interface VersionOptions extends ManagerOptions, PreparedOptions {
  readonly missing: () => MissingTypes | undefined;
}

/** Starts Apollo Server, which admits requests. Its executor only notes the operation. */
async function createVersion(options: VersionOptions): Promise<SchemaVersion> {
  const { schema, log, isIntrospectable, ids } = options;
  const prepared = createPreparedOperations(options);
  const server = new ApolloServer<AdmissionContext>({
    gateway: createGateway(schema, prepared),
    formatError: (formatted, thrown) => withIds(formatError(formatted, thrown, isIntrospectable), ids()),
    // Who may not see the schema gets an empty view of it, when the operation is executed.
    introspection: true,
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
      noteRefusal(options),
    ],
  });
  await server.start();

  return {
    schema,
    prepared,
    async admit(httpGraphQLRequest, text, context) {
      const excess = text === undefined ? undefined : findTextExcess(text, schema);
      if (excess) throw excess;
      const admission: Admission = { context, operation: undefined, report: undefined };
      const {
        status = 200,
        headers,
        body,
      } = await server.executeHTTPGraphQLRequest({
        httpGraphQLRequest,
        context: async () => ({ admission }),
      });
      const { operation, report } = admission;
      if (operation) return operation;
      headers.delete('content-type');
      // Incremental delivery is not offered, so every body is whole.
      return { status, headers, body: body.kind === 'complete' ? body.string : '', report };
    },
  };
}

/** The admission of one request, and its outcome. */
interface Admission {
  readonly context: OperationContext;
  operation: PreparedOperation | undefined;
  report: OperationReport | undefined;
}

/** Apollo Server copies it, so that nothing can be set in it. */
interface AdmissionContext {
  readonly admission: Admission;
}

/** The part of Apollo Server's request that an executor reads. */
interface ExecutorRequest {
  readonly source: string;
  readonly document: DocumentNode;
  readonly request: { readonly operationName?: string | undefined };
  readonly context: unknown;
}

/** Apollo Server takes an executor together with a schema as what it calls a gateway. */
function createGateway(schema: GraphQLSchema, { get, prepare }: PreparedOperations) {
  return {
    onSchemaLoadOrUpdate(callback: (loaded: { apiSchema: GraphQLSchema; coreSupergraphSdl: string }) => void) {
      callback({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    load: async () => ({ executor: noteOperation }),
    stop: async () => undefined,
  };

  async function noteOperation({ source, document, request: { operationName }, context }: ExecutorRequest) {
    const operation = get(source, operationName) ?? prepare(document, source, operationName);
    if (operation instanceof GraphQLError) return { errors: [operation] };
    (context as AdmissionContext).admission.operation = operation;
    return { data: null };
  }
}

/** Notes a refused operation. A document that may need the types of forms is refused by 503 while these are missing. */
function noteRefusal({ schema, missing, ids }: VersionOptions): ApolloServerPlugin<AdmissionContext> {
  const findMissing = (document: DocumentNode | undefined, errors: readonly GraphQLError[]) => {
    const isInvalid = errors.some(({ extensions: { code } }) => code === 'GRAPHQL_VALIDATION_FAILED');
    const found = isInvalid ? missing() : undefined;
    return found && document && needsUnknownTypes(document, schema) ? found : undefined;
  };
  return {
    async requestDidStart() {
      return {
        async willSendResponse({ response: { http, body }, document, operation, operationName, errors, contextValue }) {
          if (body.kind !== 'single' || errors === undefined) return;
          const { singleResult } = body;
          const types = findMissing(document, errors);
          if (types) {
            http.status = 503;
            http.headers.set('retry-after', String(Math.ceil(types.retryAfterMs / 1_000)));
            singleResult.errors = [withIds(missingTypesError(types), ids())];
          }
          const { admission } = contextValue;
          const codes = singleResult.errors?.map(({ extensions }) => extensions?.['code']) ?? [];
          const named = { name: operationName ?? undefined, kind: operation?.operation };
          admission.report = reportOperation(admission.context, named, { errors, codes, hasData: false });
        },
      };
    },
  };
}
