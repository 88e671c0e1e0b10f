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
// - It does not handle signals: `main.ts` owns the order of shutdown.

/** The operation that is to be admitted. */
interface AdmissionRequest {
  /** The text of its document; `undefined` if the request has none. */
  readonly text: string | undefined;
  readonly operationName?: string | undefined;
  /** By GET, only queries are admitted. */
  readonly method?: 'GET' | 'POST';
}

/** One version of the schema, which admits requests and runs none. */
export type SchemaVersion = Awaited<ReturnType<typeof createVersion>>;

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

/** A step in making the public schema: gives the schema with what it adds. It leaves what it is given as it is. */
type SchemaStep = (schema: GraphQLSchema) => GraphQLSchema;

/**
 * When a step is taken: it adds what the platform has, it is the team's own, it derives fields from those that are there then, or
 * it describes the whole. Steps of one stage do not depend on each other, and so nothing on the order of features.
 */
const STAGES = ['platform', 'team', 'derived', 'whole'] as const;
type SchemaStage = (typeof STAGES)[number];
type OnReplaced = (versions: {
  readonly before: SchemaVersion;
  readonly after: SchemaVersion;
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
    /** Calls back with each version that takes the place of another. */
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

  const refuseExcess = (excess: GraphQLError, name: string | undefined): Refused => ({
    name,
    kind: undefined,
    status: 400,
    headers: new Map(),
    errors: [excess],
    clientErrors: [withIds(formatError(excess.toJSON(), excess, isIntrospectable), ids())],
  });

  const admit = async (request: AdmissionRequest): Promise<PreparedOperation | Refused> => {
    // Apollo Server refuses an empty text, as that of a request without a document.
    const { text = '', operationName, method = 'POST' } = request;
    const known = prepared.get(text, operationName);
    if (known && (known.kind === 'query' || method === 'POST')) return known;

    const excess = findTextExcess(text, schema);
    if (excess) return refuseExcess(excess, operationName);

    const admission: Admission = { operation: undefined, refused: undefined };
    const http = { method, headers: new HeaderMap(), search: '', body: {} };
    await server.executeOperation(
      { query: text, ...(operationName !== undefined && { operationName }), http },
      { contextValue: { admission } },
    );
    const outcome = admission.refused ?? admission.operation;
    if (outcome) return outcome;
    throw new Error('Apollo Server has neither admitted nor refused an operation.');
  };

  return {
    schema,
    /** Parses, validates and prepares an operation, or returns it from the cache. */
    admit,
    /** Admits all operations of a document. Returns the refusal if one of them is not admitted. */
    async admitAll(text: string): Promise<readonly PreparedOperation[] | Refused> {
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
