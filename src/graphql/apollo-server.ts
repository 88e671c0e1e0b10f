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

// Apollo Server admits requests. It parses, validates and refuses them, and handles the rare cases
// of GraphQL over HTTP. Differences from its usual use:
// - It never executes. A plugin prepares the validated operation and short-circuits with
//   `data: null`; the caller executes it.
// - It handles each operation once. Later requests find the prepared operation by its text, so
//   Apollo Server's document store is off.
// - The limits of a document are checked before it validates, because validation is too slow for
//   documents beyond them.
// - The route handles content negotiation, persisted documents and CSRF. `main.ts` handles signals.
// - `errors.ts` formats its errors and adds the request's ids.
// - While the types of forms are missing, a document with unknown types gets 503 instead of 400.

/** The parts of a request that Apollo Server needs. They include the document's text. */
export interface ApolloRequest {
  readonly method: string;
  readonly contentType?: string | undefined;
  readonly search: string;
  readonly body: unknown;
}

/** One version of the schema. It admits requests and does not execute them. */
export type SchemaVersion = Awaited<ReturnType<typeof createVersion>>;

/** The response to a refused request, by the GraphQL over HTTP specification. */
export interface Refused extends Omit<Answered, 'report'> {
  /** `undefined` if the request was refused before it was parsed. */
  readonly report: OperationReport | undefined;
}

/**
 * A step in building the public schema. Returns a new schema with its additions, and does not
 * change its argument.
 */
type SchemaStep = (schema: GraphQLSchema) => GraphQLSchema;

/**
 * The stages of the steps: types of the platform, fields of the team, fields derived from both,
 * descriptions of the whole. Steps of one stage are independent of each other, so the order of
 * features does not matter.
 */
const STAGES = ['platform', 'team', 'derived', 'whole'] as const;
type SchemaStage = (typeof STAGES)[number];
type OnReplaced = (schemas: {
  readonly before: GraphQLSchema;
  readonly after: GraphQLSchema;
}) => Promise<void> | void;

/** The current schema. Admits requests while the schema is replaced. */
export type SchemaManager = ReturnType<typeof createSchemaManager>;

interface ManagerOptions extends Pick<PreparedOptions, 'isIntrospectable'> {
  readonly log: Log;
  /** Returns the ids of the current request. */
  readonly ids: () => RequestIds | undefined;
}

/**
 * Creates the manager, without a schema yet. Each version has its own prepared operations, so an
 * operation runs only on the schema that validated it. A version needs no closing. It is released
 * after its last request.
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
    /**
     * Returns why the types of forms are missing; `undefined` if they are present. The feature that
     * adds them replaces this function.
     */
    missing: (): MissingTypes | undefined => undefined,
    /**
     * Returns the version for a new request. The request keeps it to its end.
     *
     * @throws {Error} before the first `refresh`.
     */
    current(): SchemaVersion {
      if (current === undefined) throw new Error('The schema has not been made yet.');
      return current;
    },
    /** Adds a step. Steps run by stage, starting with the generic graph. */
    addStep: (stage: SchemaStage, step: SchemaStep) => void steps[stage].push(step),
    /** Adds a listener for each replacement of a schema. */
    onReplaced: (listener: OnReplaced) => void listeners.push(listener),
    /** Builds a new schema. Resolves after new requests use it and the listeners have finished. */
    async refresh(): Promise<void> {
      const own = ++version;
      const inOrder = STAGES.flatMap((stage) => steps[stage]);
      const schema = inOrder.reduce((made, step) => step(made), createSchema(list));
      checkRootCosts(schema);
      shareExtensions(schema);
      const next = await createVersion({ ...options, schema, missing: () => manager.missing() });
      // A later refresh may have started in the meantime.
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

/** Starts Apollo Server for a schema. */
async function createVersion(options: VersionOptions) {
  const { schema, log, isIntrospectable, ids } = options;
  const prepared = createPreparedOperations(options);
  const server = new ApolloServer<AdmissionContext>({
    schema,
    formatError: (formatted, thrown) =>
      withIds(formatError(formatted, thrown, isIntrospectable), ids()),
    // Callers without access to the schema get an empty one during execution.
    introspection: true,
    // A suggestion compares a wrong name with every name of the schema. A request may contain
    // hundreds of wrong names.
    validationOptions: {
      hideSuggestions: !isIntrospectable,
      maxErrors: isIntrospectable ? LIMITS.suggestedErrors : LIMITS.validationErrors,
    },
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxTokens: LIMITS.tokens },
    // Prepared operations are cached instead.
    documentStore: null,
    // The route has inserted the text and checked the origin.
    persistedQueries: false,
    csrfPrevention: false,
    // main.ts controls the order of shutdown.
    stopOnTerminationSignals: false,
    logger: log,
    // Apollo Server enables some plugins by itself: for a subgraph, and if the environment has an
    // APOLLO_KEY.
    plugins: [
      ...Object.values(disabledPlugins).map((create) => create()),
      createAdmission(options, prepared),
    ],
  });
  await server.start();

  return {
    schema,
    /** The operations that were already admitted. */
    prepared,
    /**
     * Parses and validates the document of a request, and prepares its operation.
     *
     * @param text the document. `undefined` if the request has no document.
     * @returns the operation, or the response of a refused request.
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
      // Incremental delivery is disabled, so every body is complete.
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

/** Apollo Server copies this object, so results are written to its member. */
interface AdmissionContext {
  readonly admission: Admission;
}

/** Creates the plugin that prepares valid operations and reports refused ones. */
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
        // Apollo Server creates the error for an unknown operation.
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
