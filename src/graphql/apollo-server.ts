import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import * as disabledPlugins from '@apollo/server/plugin/disabled';
import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';

import type { Log } from '../core/log.ts';
import type { OperationReport, RequestIds } from '../core/observers.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { checkRootCosts } from './admission/cost.ts';
import { needsUnknownTypes } from './admission/documents.ts';
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

// Apollo Server admits requests: it speaks GraphQL over HTTP for what is unusual or wrong, parses, validates, and refuses. What is
// bent of it:
// - It runs nothing. A plugin prepares the operation once it is found valid, and answers it by nothing; whoever has asked runs it.
// - It sees a request once: an admitted operation is found by its text from then on, so it keeps no documents of its own.
// - Limits of a document's text are checked here before it parses that, since its validation would not survive what they refuse.
// - Content negotiation, persisted documents, CSRF and signals are the route's and `main.ts`'s.
// - Errors are worded by `errors.ts`, with the request's ids.
// - While the types of forms are missing, what names unknown ones is refused by 503 in place of 400.

/** A request as Apollo Server takes it, with the text of its document. */
export interface ApolloRequest {
  readonly method: string;
  readonly contentType?: string | undefined;
  readonly search: string;
  readonly body: unknown;
}

/** One version of the schema, which admits requests and runs none. */
export type SchemaVersion = Awaited<ReturnType<typeof createVersion>>;

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
type OnReplaced = (schemas: {
  readonly before: GraphQLSchema;
  readonly after: GraphQLSchema;
}) => Promise<void> | void;

/** Holds the current schema, and admits requests while it changes. */
export type SchemaManager = ReturnType<typeof createSchemaManager>;

interface ManagerOptions extends Pick<PreparedOptions, 'isIntrospectable'> {
  readonly log: Log;
  /** Gives the ids of the current request. */
  readonly ids: () => RequestIds | undefined;
}

/**
 * Makes the holder, which has no schema yet. Each version prepares operations of its own, so that nothing runs on one schema
 * that was found valid on another. A version ends with its last request: it holds nothing that would have to be closed.
 */
export function createSchemaManager({ list, ...options }: ManagerOptions & Pick<Dialect, 'list'>) {
  const steps: Readonly<Record<SchemaStage, SchemaStep[]>> = {
    platform: [],
    team: [],
    derived: [],
    whole: [],
  };
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
      const next = await createVersion({ ...options, schema, missing: () => manager.missing() });
      // Another schema may have come while this one was started.
      if (own !== version) return;
      const before = current?.schema;
      current = next;
      for (const place of leftOutOf(schema)) {
        if (!leftOutOf(before).includes(place))
          options.log.warn({ place }, 'a field is left out: its name is taken');
      }
      if (before)
        await Promise.all(listeners.map((listener) => listener({ before, after: schema })));
    },
  };
  return manager;
}

interface VersionOptions extends ManagerOptions, PreparedOptions {
  readonly missing: () => MissingTypes | undefined;
}

/** Starts Apollo Server on a schema. */
async function createVersion(options: VersionOptions) {
  const { schema, log, isIntrospectable, ids } = options;
  const prepared = createPreparedOperations(options);
  const server = new ApolloServer<AdmissionContext>({
    schema,
    formatError: (formatted, thrown) =>
      withIds(formatError(formatted, thrown, isIntrospectable), ids()),
    // Who may not see the schema gets an empty view of it, when the operation is executed.
    introspection: true,
    // A suggestion compares a wrong name with every name of the schema, and a request may hold hundreds of wrong ones.
    validationOptions: {
      hideSuggestions: !isIntrospectable,
      maxErrors: isIntrospectable ? LIMITS.suggestedErrors : LIMITS.validationErrors,
    },
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
    // Apollo Server turns some on by itself: for a subgraph, and where the environment has an APOLLO_KEY.
    plugins: [
      ...Object.values(disabledPlugins).map((create) => create()),
      createAdmission(options, prepared),
    ],
  });
  await server.start();

  return {
    schema,
    /** The operations that were admitted before. */
    prepared,
    /**
     * Parses and validates the document of a request, and prepares its operation, also where the request is unusual.
     *
     * @param text of the document; `undefined` where the request names none.
     * @throws {GraphQLError} for a document beyond the limits.
     */
    async admit(
      { method, contentType, search, body: sent }: ApolloRequest,
      text: string | undefined,
      context: OperationContext,
    ): Promise<PreparedOperation | Refused> {
      const excess = text === undefined ? undefined : findTextExcess(text, schema);
      if (excess) throw excess;
      const admission: Admission = { context, operation: undefined, report: undefined };
      const headers = new HeaderMap([['accept', 'application/json']]);
      if (contentType !== undefined) headers.set('content-type', contentType);
      const answer = await server.executeHTTPGraphQLRequest({
        httpGraphQLRequest: { method, headers, search, body: sent },
        context: async () => ({ admission }),
      });
      const { operation, report } = admission;
      if (operation) return operation;
      answer.headers.delete('content-type');
      // Incremental delivery is not offered, so every body is whole.
      const body = answer.body.kind === 'complete' ? answer.body.string : '';
      return { status: answer.status ?? 200, headers: answer.headers, body, report };
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

/** Prepares the operations that are found valid, and notes those that are refused. */
function createAdmission(
  { schema, missing, ids }: VersionOptions,
  { get, prepare }: PreparedOperations,
): ApolloServerPlugin<AdmissionContext> {
  const findMissing = (document: DocumentNode | undefined, errors: readonly GraphQLError[]) => {
    const isInvalid = errors.some(
      ({ extensions: { code } }) => code === 'GRAPHQL_VALIDATION_FAILED',
    );
    const found = isInvalid ? missing() : undefined;
    return found && document && needsUnknownTypes(document, schema) ? found : undefined;
  };
  return {
    requestDidStart: async () => ({
      async didResolveOperation({
        source,
        document,
        request: { operationName },
        operation,
        contextValue,
      }) {
        // Where the document has no such operation, Apollo Server says so.
        if (operation === undefined) return;
        const prepared = get(source, operationName) ?? prepare(document, source, operationName);
        if (prepared instanceof GraphQLError) throw prepared;
        contextValue.admission.operation = prepared;
      },
      async responseForOperation({ operation }) {
        if (operation === undefined) return null;
        return {
          http: { headers: new HeaderMap() },
          body: { kind: 'single', singleResult: { data: null } },
        };
      },
      async willSendResponse({
        response: { http, body },
        document,
        operation,
        operationName,
        errors,
        contextValue,
      }) {
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
        admission.report = reportOperation(admission.context, named, {
          errors,
          codes,
          hasData: false,
        });
      },
    }),
  };
}
