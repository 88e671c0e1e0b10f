import { hash, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Cache } from '../../cache/cache.ts';
import type { Selection } from '../../graphql/admission/selections.ts';
import { answerOperation, reportOperation } from '../../graphql/operations.ts';
import type { AdmittedRequest, AnswerOperation } from '../../http/graphql-route.ts';
import { createTurns } from './clock.ts';
import { framingFor, isAfterComplete } from './framing.ts';
import { LiveQuery, type Run, runOnce, TOGETHER_MS } from './live-query.ts';
import type { LiveStream, Subscription } from './live-stream.ts';
import type { LiveParts } from './settings.ts';
import { createStreams } from './streams.ts';

/** Registers the handler of subscriptions. */
export function answerSubscriptions(parts: LiveParts) {
  const { gateway, clock, callsPerMinute } = parts;
  const { graph, store, http } = gateway;
  const streams = createStreams(parts);
  const turns = createTurns(clock, callsPerMinute);
  const queries = new Map<string, LiveQuery>();
  /** An id for each cache: callers who share a cache see the same data. */
  const scopes = new WeakMap<Cache, string>();

  let isLooking = false;
  store.onChange(() => {
    if (isLooking) return;
    isLooking = true;
    // Several changes within a short time lead to one pass over all queries.
    clock.after(TOGETHER_MS, () => {
      isLooking = false;
      for (const query of queries.values()) query.changed();
    });
  });
  // Between two queries the event loop can serve requests.
  graph.onReplaced(async () => {
    for (const query of [...queries.values()]) {
      await nextTurn();
      await query.admitAgain();
    }
  });

  const subscribe: AnswerOperation = async (admitted) => {
    const { request, reply, operation, context, caller } = admitted;
    // A request with `explain` is answered in JSON, not by a stream.
    if (context.explain) return answerOperation(operation, admitted.variables, context);
    const framing = framingFor(request);
    if (isAfterComplete(request))
      return { body: '', status: 204, headers: new Map(), report: undefined };
    streams.admit(caller);
    const { cache } = caller.scope;
    const scope = scopes.get(cache) ?? randomUUID();
    scopes.set(cache, scope);
    const subscription = { ...admitted, ...identify(admitted, scope), framing };
    const known = queries.get(subscription.key);
    // The client may have disconnected during authentication.
    if (!known?.isCurrent || reply.raw.closed) return runFirst(subscription);
    context.operation = operation;
    const report = reportOperation(context, operation, { errors: [], codes: [], hasData: true });
    const stream = streams.open(subscription);
    known.add(stream);
    return { body: stream, status: 200, report };
  };

  /**
   * Runs a subscription and opens the stream, which begins with the answer. A refused operation is
   * answered like any other.
   */
  const runFirst = async (subscription: Subscription) => {
    const { reply, operation, variables, context, caller } = subscription;
    const { answered, refusal, run } = await runOnce(operation, variables, context, store);
    // The client may have disconnected during the run.
    if (answered.status !== 200 || reply.raw.closed) return answered;
    if (refusal) throw refusal;
    const accepted = { ...subscription, caller: caller.accepted?.() ?? caller };
    return { body: begin(accepted, run), status: 200, report: answered.report };
  };

  /** Opens the stream of a subscription that has just run. */
  const begin = (subscription: Subscription, run: Run): LiveStream => {
    const { operation, caller, key, bytes, version } = subscription;
    // Another request may have created the query during the run, or the schema may have changed.
    const known = queries.get(key);
    streams.admit(caller, known ? 0 : operation.bytes + bytes + run.json.length);
    const options = { ...parts, streams, turns, onEnded: () => queries.delete(key) };
    const query = run.isNothing ? undefined : (known ?? new LiveQuery(subscription, options));
    if (query) queries.set(key, query);
    const stream = streams.open(subscription);
    if (query === undefined) {
      stream.send(run.json);
      stream.finish('done');
    } else query.add(stream, run);
    if (version !== graph.current()) void query?.admitAgain();
    return stream;
  };

  http.answers.set('subscription', subscribe);
  return { streams, queries };
}

/** The maximum bytes of memory per character of parsed JSON, as for a list of empty objects. */
const JSON_BYTES = 24;

/**
 * Returns the key of the query, its declared variables, and the bytes that they take.
 *
 * @param scope an id of the callers who see the same data.
 */
function identify({ operation, variables, caller: { session } }: AdmittedRequest, scope: string) {
  const { text, operationName, selected } = operation;
  const declared = (selected.definition.variableDefinitions ?? []).map(
    ({ variable }) => variable.name.value,
  );
  const given = declared
    .filter((name) => Object.hasOwn(variables, name))
    .map((name) => [name, variables[name]]);
  const json = JSON.stringify(given);
  // Only fields of extensions can depend on the viewer.
  const viewer = hasOwnField(selected.selections) ? (session.viewer?.name ?? '') : undefined;
  const key = hash(
    'sha256',
    JSON.stringify([scope, text, operationName, json, viewer]),
    'base64url',
  );
  return { key, variables: Object.fromEntries(given), bytes: JSON_BYTES * json.length };
}

const hasOwnField = (selections: readonly Selection[]): boolean =>
  selections.some(
    ({ definition, selections }) => definition?.extensions.isOwn || hasOwnField(selections),
  );
