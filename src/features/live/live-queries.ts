import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GraphQLError, getOperationAST } from 'graphql';

import type { Cache } from '../../cache/cache.ts';
import { orUndefined } from '../../core/errors.ts';
import { OpenItems } from '../../core/open-items.ts';
import { findConditionalRoot } from '../../graphql/documents.ts';
import { parseWithinLimits } from '../../graphql/limits.ts';
import { type PreparedOperation, reportOperation } from '../../graphql/operations.ts';
import type { Identity } from '../../http/auth/identity.ts';
import { acceptsJson, type Subscribe, type SubscriptionRequest } from '../../http/graphql-route.ts';
import { type Framing, framingFor } from './framing.ts';
import { findExcess, KEPT_EXCESS, LiveOperation, type OperationRequest, prepare, type Run } from './live-operation.ts';
import type { Poller } from './poller.ts';
import type { LiveParts } from './settings.ts';
import { Share } from './share.ts';
import { createStreams, noRoom } from './streams.ts';
import { ReadLog } from './subscription-type.ts';

/** The characters that all live operations may keep, which take up to twice as many bytes, and one caller's part of them. */
const MAX_KEPT = 33_554_432;
const CALLER_KEPT_SHARE = 0.25;

export type LiveQueries = ReturnType<typeof createLiveQueries>;

/** Makes what answers the subscriptions of one gateway. */
export function createLiveQueries(parts: LiveParts, poller: Poller) {
  const { graph, store } = parts.gateway;
  const counts = { runs: 0, results: 0 };
  const kept = new Share(MAX_KEPT, MAX_KEPT * CALLER_KEPT_SHARE);
  const streams = createStreams(parts);
  const operations = new OpenItems<LiveOperation>();
  const byKey = new WeakMap<Cache, Map<string, LiveOperation>>();

  /** @throws {RequestError} for a subscription that cannot be served now. */
  const admit = (caller: string | undefined, length: number): void => {
    streams.admit(caller);
    const excess = kept.excess(caller, length);
    if (excess) throw noRoom(excess, `${KEPT_EXCESS.caller}; close some.`);
  };

  /** Finds an equal operation whose result is up to date. */
  const findCurrent = (subscription: SubscriptionRequest): LiveOperation | undefined => {
    const { server, text, operation, identity } = subscription;
    const prepared = server.prepared.get(text, operation.operationName);
    if (prepared === undefined) return undefined;
    const found = [undefined, viewerOf(identity)].map((viewer) =>
      byKey.get(identity.scope.cache)?.get(keyOf(toRequest(subscription, prepared, viewer))),
    );
    return found.find((one) => one?.isCurrent);
  };

  /** Gives the operation of a request; creates it where there is none. */
  const operationOf = (request: OperationRequest, prepared: PreparedOperation, { scope, caller }: Identity) => {
    const ofScope = byKey.get(scope.cache) ?? new Map<string, LiveOperation>();
    byKey.set(scope.cache, ofScope);
    const key = keyOf(request);
    const known = ofScope.get(key);
    if (known) return known;
    const operation = new LiveOperation(request, prepared, caller, {
      ...parts,
      poller,
      counts,
      kept,
      onPersonal: split,
      onEnded() {
        remove();
        ofScope.delete(key);
      },
    });
    const remove = operations.add(operation);
    ofScope.set(key, operation);
    return operation;
  };

  /** Gives each viewer an operation of their own. */
  const split = (shared: LiveOperation): void => {
    for (const stream of [...shared.streams]) {
      const { identity } = stream;
      const own = operationOf({ ...shared.request, viewer: viewerOf(identity) }, shared.prepared, identity);
      shared.remove(stream);
      own.add(stream);
      own.changed(store.now());
    }
  };

  const open = (subscription: SubscriptionRequest, framing: Framing, operation: LiveOperation, first?: Run) => {
    const stream = streams.open(subscription, framing);
    operation.add(stream, first);
    return stream;
  };

  /** Runs a subscription, and opens the stream that begins with its answer; a refusal is answered as that of any operation. */
  const openNew = async (subscription: SubscriptionRequest, framing: Framing): Promise<Readable | string> => {
    const { server, request, reply, identity, text, operation, context } = subscription;
    const { stats } = context;
    const reads = new ReadLog();
    stats.reads = reads;
    // Its client accepts streams.
    request.headers.accept = RESPONSE_TYPE;
    const { body, report } = await subscription.run();
    // Its client may have left meanwhile.
    if (reply.statusCode !== 200 || report === undefined || reply.raw.closed) return body;
    const prepared = prepare({ text, operationName: operation.operationName }, server);
    if (prepared instanceof GraphQLError) throw prepared;
    const excess = findExcess(body, reads);
    if (excess) throw excess;
    // Others may have come meanwhile.
    admit(identity.caller, body.length);
    const viewer = stats.isPersonal ? viewerOf(identity) : undefined;
    const live = operationOf(toRequest(subscription, prepared, viewer), prepared, identity);
    const stream = open(subscription, framing, live, { body, reads, errors: report.errors });
    // So may another schema.
    if (server !== graph.current()) live.prepareAgain();
    return stream;
  };

  const openOrRefuse = async (subscription: SubscriptionRequest): Promise<Readable | string> => {
    const { request, reply, identity, context } = subscription;
    const framing = framingFor(request);
    admit(identity.caller, 0);
    const current = findCurrent(subscription);
    // Its client may have left while it was authenticated.
    if (current === undefined || reply.raw.closed) return openNew(subscription, framing);
    context.onValid?.();
    // A stream that joins an operation is an operation as well.
    context.onAnswered(reportOperation(context, current.prepared, { errors: [], codes: [], hasData: true }));
    return open(subscription, framing, current);
  };

  const subscribe: Subscribe = (subscription) => {
    const { request, context } = subscription;
    const isStream = isSubscription(subscription);
    if (isStream && !context.explain) return openOrRefuse(subscription);
    // A client that accepts streams alone is told what its subscription costs, or what is wrong with its document, as JSON.
    if (isStream !== false && !acceptsJson(request)) request.headers.accept = RESPONSE_TYPE;
    return undefined;
  };

  return {
    counts,
    streams,
    operations,
    subscribe,
    /** Prepares all operations for a schema that has taken the place of another. Requests are served between two of them. */
    async schemaReplaced(): Promise<void> {
      for (const operation of operations.toArray()) {
        await nextTurn();
        operation.prepareAgain();
      }
    },
  };
}

const RESPONSE_TYPE = 'application/graphql-response+json';

/**
 * Whether the operation is a subscription, also where it has not been prepared yet; `undefined` where it cannot be told.
 *
 * @throws {GraphQLError} for a document whose subscription has a condition at its root.
 */
function isSubscription({ server, text, operation: { operationName } }: SubscriptionRequest): boolean | undefined {
  const known = server.prepared.get(text, operationName);
  if (known) return known.kind === 'subscription';
  if (!text.includes('subscription')) return false;
  const document = orUndefined(() => parseWithinLimits(text));
  // What is wrong with it, Apollo Server says.
  if (document === undefined) return undefined;
  const refused = findConditionalRoot(document);
  if (refused) throw refused;
  const operation = getOperationAST(document, operationName)?.operation;
  return operation && operation === 'subscription';
}

function toRequest(
  { text, operation: { operationName, variables = {} } }: SubscriptionRequest,
  { definition: { variableDefinitions = [] } }: PreparedOperation,
  viewer: string | undefined,
): OperationRequest {
  const declared = variableDefinitions.map(({ variable }) => variable.name.value);
  const given = declared.filter((name) => Object.hasOwn(variables, name)).map((name) => [name, variables[name]]);
  return { text, operationName, variables: Object.fromEntries(given), viewer };
}

const keyOf = ({ text, operationName, variables, viewer }: OperationRequest): string =>
  hash('sha256', JSON.stringify([text, operationName, variables, viewer]), 'base64url');

const viewerOf = ({ session: { viewer } }: Identity): string => viewer?.name ?? '';
