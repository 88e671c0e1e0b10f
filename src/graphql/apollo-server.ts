import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import * as disabledPlugins from '@apollo/server/plugin/disabled';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  Kind,
} from 'graphql';

import type { Log } from '../core/log.ts';
import type { OperationReport, RequestIds } from '../core/observers.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { checkRootCosts } from './admission/cost.ts';
import { needsUnknownTypes } from './admission/documents.ts';
import { findTextExcess, LIMITS, parseOrError } from './admission/limits.ts';
import { formatError, type MissingTypes, missingTypesError, withIds } from './errors.ts';
import {
  createPreparedOperations,
  type PreparedOperation,
  type PreparedOperations,
  type PreparedOptions,
} from './operations.ts';
import { createSchema, leftOutOf, shareExtensions } from './schema.ts';

// How Apollo Server is used here. Every operation that runs is admitted by `SchemaVersion.admit`: those
// of HTTP requests, of live queries, of agents' tools, of extensions and of routers, and those that
// `caseway explain` plans. For a new operation, Apollo Server parses and validates the document,
// finds the operation, refuses mutations by GET, and formats the errors. Its plugin then prepares the
// operation for the executor, and `admit` returns it from the cache for later requests.
//
// What Apollo Server does not do, and why:
// - It does not execute. The plugin answers an admitted operation with `data: null`, and the caller of
//   `admit` runs it: the executor here compiles operations, limits their cost, and shares their runs.
// - It keeps no documents (`documentStore: null`), because the prepared operations contain them.
// - It does not read HTTP requests. The route reads the parameters with limits on their JSON, finds
//   persisted documents, negotiates the content type, and prevents CSRF.
// - It does not see texts beyond the limits of `limits.ts`, whose validation could stall the process.
// - It does not choose the words of errors: `errors.ts` does, and adds the request's ids. While the
//   types of forms are missing, a document with unknown types is answered by 503 in place of 400.
// - It admits no subscription by GET. `admit` passes it on as a POST if the client accepts a stream.
// - It does not handle signals: `main.ts` owns the order of shutdown.

/** The operation that is to be admitted. */
interface AdmissionRequest {
  /** The text of its document; `undefined` if the request has none. */
  readonly text: string | undefined;
  readonly operationName?: string | undefined;
  readonly method?: 'GET' | 'POST';
  /** Whether the client accepts the stream of a subscription. */
  readonly acceptsStream?: boolean;
}

/** Whether the method of a request allows a kind of operation. By GET, a subscription needs a stream. */
function isKindAllowed(
  kind: Refused['kind'],
  { method = 'POST', acceptsStream = false }: AdmissionRequest,
): boolean {
  if (method === 'POST' || kind === 'query') return true;
  return kind === 'subscription' && acceptsStream;
}

/** One version of the schema. It admits requests and does not execute them. */
export interface SchemaVersion {
  readonly schema: GraphQLSchema;
  /**
   * Parses, validates and prepares an operation, or returns it from the cache. A known operation is
   * returned without a promise, because most requests have one.
   */
  admit(request: AdmissionRequest): Admitted | Promise<Admitted>;
  /** Admits all operations of a document. Returns the refusal if one of them is not admitted. */
  admitAll(text: string): Promise<readonly PreparedOperation[] | Refused>;
}

type Admitted = PreparedOperation | Refused;

/** The reasons why an operation is not admitted. */
export interface Refused extends Pick<OperationReport, 'name' | 'kind'> {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** The errors as they were thrown. */
  readonly errors: readonly GraphQLError[];
  /** The same errors for clients. */
  readonly clientErrors: readonly GraphQLFormattedError[];
}

/** Whether an operation, or one of a document, is not admitted. */
export const isRefused = (admitted: object): admitted is Refused => 'clientErrors' in admitted;

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

/** A version of the schema that takes the place of another. */
export interface SchemaReplacement {
  readonly before: SchemaVersion;
  readonly after: SchemaVersion;
}

type OnReplaced = (versions: SchemaReplacement) => Promise<void> | void;

/** The current schema. Admits requests while the schema is replaced. */
export interface SchemaManager {
  /**
   * Returns why the types of forms are missing; `undefined` if they are present. The feature that
   * adds them replaces this function.
   */
  missing: () => MissingTypes | undefined;
  /**
   * Returns the version for a new request. The request keeps it to its end.
   *
   * @throws {Error} before the first `refresh`.
   */
  current(): SchemaVersion;
  /** Adds a step. Steps run by stage, starting with the generic graph. */
  addStep(stage: SchemaStage, step: SchemaStep): void;
  /** Calls back with each version that takes the place of another. */
  onReplaced(listener: OnReplaced): void;
  /** Builds a new schema. Resolves after new requests use it and the listeners have finished. */
  refresh(): Promise<void>;
}

interface ManagerOptions {
  /** Whether clients may see the schema. */
  readonly isIntrospectable: boolean;
  readonly log: Log;
  /** Returns the ids of the current request. */
  readonly ids: () => RequestIds | undefined;
}

/**
 * Creates the manager, without a schema yet. Each version has its own prepared operations, so an
 * operation runs only on the schema that validated it. A version needs no closing. It is released
 * after its last request.
 */
export function createSchemaManager({
  list,
  ...options
}: ManagerOptions & Pick<Dialect, 'list'>): SchemaManager {
  const steps: Readonly<Record<SchemaStage, SchemaStep[]>> = {
    platform: [],
    team: [],
    derived: [],
    whole: [],
  };
  const listeners: OnReplaced[] = [];
  let version = 0;
  let current: SchemaVersion | undefined;

  const manager: SchemaManager = {
    missing: () => undefined,
    current() {
      if (current === undefined) throw new Error('The schema has not been made yet.');
      return current;
    },
    addStep: (stage, step) => void steps[stage].push(step),
    onReplaced: (listener) => void listeners.push(listener),
    async refresh() {
      version++;
      const ownVersion = version;
      let schema = createSchema(list);
      for (const step of STAGES.flatMap((stage) => steps[stage])) schema = step(schema);
      checkRootCosts(schema);
      shareExtensions(schema);
      const next = await createVersion({ ...options, schema, missing: () => manager.missing() });
      // A later refresh may have started in the meantime.
      if (ownVersion !== version) return;
      const before = current;
      current = next;
      for (const place of leftOutOf(schema)) {
        if (!leftOutOf(before?.schema).includes(place))
          options.log.warn({ place }, 'a field is left out: its name is taken');
      }
      if (before) await Promise.all(listeners.map((listener) => listener({ before, after: next })));
    },
  };
  return manager;
}

interface VersionOptions extends ManagerOptions, PreparedOptions {
  readonly missing: () => MissingTypes | undefined;
}

/** Starts Apollo Server for a schema. */
async function createVersion(options: VersionOptions): Promise<SchemaVersion> {
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

  const refuseExcess = (excess: GraphQLError, name: string | undefined): Refused => ({
    name,
    kind: undefined,
    status: 400,
    headers: new Map(),
    errors: [excess],
    clientErrors: [withIds(formatError(excess.toJSON(), excess, isIntrospectable), ids())],
  });

  const admit: SchemaVersion['admit'] = (request) => {
    // Apollo Server refuses an empty text, as that of a request without a document.
    const { text = '' } = request;
    const known = prepared.get(text, request.operationName);
    if (known && isKindAllowed(known.kind, request)) return known;
    return admitNew({ ...request, text });
  };

  const admitNew = async (
    request: AdmissionRequest & { readonly text: string },
  ): Promise<Admitted> => {
    const { text, operationName, method = 'POST' } = request;
    const excess = findTextExcess(text, schema);
    if (excess) return refuseExcess(excess, operationName);

    const admission: Admission = { operation: undefined, refused: undefined };
    const http = { method, headers: new HeaderMap(), search: '', body: {} };
    await server.executeOperation(
      { query: text, ...(operationName !== undefined && { operationName }), http },
      { contextValue: { admission } },
    );
    const { refused, operation } = admission;
    // Apollo Server refuses every subscription by GET.
    const isStream = refused?.status === 405 && isKindAllowed(refused.kind, request);
    if (isStream) return admit({ text, operationName });
    const outcome = refused ?? operation;
    if (outcome) return outcome;
    throw new Error('Apollo Server has neither admitted nor refused an operation.');
  };

  return {
    schema,
    admit,
    async admitAll(text) {
      const document = parseOrError(text, schema);
      const definitions = document instanceof GraphQLError ? [] : document.definitions;
      const names = definitions.flatMap((node) =>
        node.kind === Kind.OPERATION_DEFINITION ? [node.name?.value] : [],
      );
      const operations: PreparedOperation[] = [];
      // Of a document without an operation, Apollo Server refuses the first one.
      for (const operationName of names.length > 0 ? names : [undefined]) {
        const admitted = await admit({ text, operationName });
        if (isRefused(admitted)) return admitted;
        operations.push(admitted);
      }
      return operations;
    },
  };
}

/** The outcome of one admission. */
interface Admission {
  operation: PreparedOperation | undefined;
  refused: Refused | undefined;
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
        contextValue.admission.refused = {
          name: operationName ?? undefined,
          kind: operation?.operation,
          status: http.status ?? 400,
          headers: http.headers,
          errors,
          clientErrors: singleResult.errors ?? [],
        };
      },
    }),
  };
}
