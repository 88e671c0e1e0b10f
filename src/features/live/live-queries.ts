import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Cache } from '../../cache/cache.ts';
import { OpenItems } from '../../core/open-items.ts';
import { type PreparedOperation, reportOperation, runOperation } from '../../graphql/operations.ts';
import type { Caller } from '../../http/auth/identity.ts';
import type { AdmittedRequest, AnswerOperation } from '../../http/graphql-route.ts';
import { type Framing, framingFor } from './framing.ts';
import { findExcess, isRefused, LiveOperation, type OperationRequest, type Run, toRun } from './live-operation.ts';
import { LiveResult } from './live-result.ts';
import type { LiveStream } from './live-stream.ts';
import type { Poller } from './poller.ts';
import type { LiveParts } from './settings.ts';
import { createStreams } from './streams.ts';
import { ReadLog } from './subscription-type.ts';

export type LiveQueries = ReturnType<typeof createLiveQueries>;

/** Answers the subscriptions of one gateway. */
export function createLiveQueries(parts: LiveParts, poller: Poller) {
  const { graph, store } = parts.gateway;
  const counts = { runs: 0, results: 0 };
  const streams = createStreams(parts, counts);
  const operations = new OpenItems<LiveOperation>();
  const byKey = new WeakMap<Cache, Map<string, LiveOperation>>();

  /** Finds an equal operation whose result is up to date. */
  const findCurrent = (subscription: AdmittedRequest): LiveOperation | undefined => {
    const { caller } = subscription;
    const found = [undefined, viewerOf(caller)].map((viewer) =>
      byKey.get(caller.scope.cache)?.get(keyOf(toRequest(subscription, viewer))),
    );
    return found.find((one) => one?.isCurrent);
  };

  /** Gives the operation of a request; creates it where there is none. */
  const operationOf = (request: OperationRequest, prepared: PreparedOperation, { scope }: Caller) => {
    const ofScope = byKey.get(scope.cache) ?? new Map<string, LiveOperation>();
    byKey.set(scope.cache, ofScope);
    const key = keyOf(request);
    const known = ofScope.get(key);
    if (known) return known;
    const operation = new LiveOperation(request, prepared, {
      ...parts,
      poller,
      counts,
      shares: streams.shares,
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
      const { caller } = stream;
      const own = operationOf({ ...shared.request, viewer: viewerOf(caller) }, shared.prepared, caller);
      shared.remove(stream);
      own.add(stream);
      own.changed(store.now());
    }
  };

  /** Runs a subscription, and opens the stream that begins with its answer; a refusal is answered as that of any operation. */
  const openNew = async (subscription: AdmittedRequest, framing?: Framing) => {
    const { reply, operation, variables, context } = subscription;
    const reads = new ReadLog();
    context.work.reads = reads;
    const answered = await runOperation(operation, variables, context);
    const caller = subscription.caller.accepted?.() ?? subscription.caller;
    const { body, report, status } = answered;
    // Its client may have left meanwhile.
    if (status !== 200 || reply.raw.closed || !framing) return answered;
    const excess = findExcess(body, reads);
    if (excess) throw excess;
    const run = toRun(answered, context.ids, reads, context.work);
    return { body: openWith(run, { ...subscription, caller }, framing), status, report };
  };

  /** Opens the stream of a subscription that has run. */
  const openWith = (run: Run, subscription: AdmittedRequest, framing: Framing): LiveStream => {
    const { version, caller, operation, context } = subscription;
    const viewer = context.work.isPersonal ? viewerOf(caller) : undefined;
    const request = toRequest(subscription, viewer);
    // Others may have come meanwhile.
    streams.admit(caller, new LiveResult(run, streams.shares, { prepared: operation, request }));
    if (isRefused(run)) {
      const stream = streams.open(subscription, framing);
      stream.send(new LiveResult(run, streams.shares));
      stream.finish('done');
      return stream;
    }
    const live = operationOf(request, operation, caller);
    const stream = streams.open(subscription, framing);
    live.add(stream, run);
    // So may another schema.
    if (version !== graph.current()) live.prepareAgain();
    return stream;
  };

  const subscribe: AnswerOperation = async (subscription) => {
    const { request, reply, caller, operation, context } = subscription;
    // Whoever wants it explained reads JSON, and no stream.
    if (context.explain) return openNew(subscription);
    const framing = framingFor(request);
    const current = findCurrent(subscription);
    streams.admit(caller, current?.result);
    // Its client may have left while it was authenticated.
    if (current === undefined || reply.raw.closed) return openNew(subscription, framing);
    // A stream that joins an operation is an operation as well.
    context.operation = operation;
    const report = reportOperation(context, operation, { errors: [], codes: [], hasData: true });
    const stream = streams.open(subscription, framing);
    current.add(stream);
    return { body: stream, status: 200, report };
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

function toRequest(
  { operation: { text, operationName, selected }, variables }: AdmittedRequest,
  viewer: string | undefined,
): OperationRequest {
  const declared = (selected.definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const given = declared.filter((name) => Object.hasOwn(variables, name)).map((name) => [name, variables[name]]);
  const bytes = JSON_BYTES * JSON.stringify(given).length;
  return { text, operationName, variables: Object.fromEntries(given), viewer, bytes };
}

/** A character of JSON takes up to so many bytes once it is parsed, as a list of empty objects does. */
const JSON_BYTES = 24;

const keyOf = ({ text, operationName, variables, viewer }: OperationRequest): string =>
  hash('sha256', JSON.stringify([text, operationName, variables, viewer]), 'base64url');

const viewerOf = ({ session: { viewer } }: Caller): string => viewer?.name ?? '';
