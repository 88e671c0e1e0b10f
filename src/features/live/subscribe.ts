import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Cache } from '../../cache/cache.ts';
import type { Selection } from '../../graphql/admission/selections.ts';
import { reportOperation, runOperation } from '../../graphql/operations.ts';
import type { AdmittedRequest, AnswerOperation } from '../../http/graphql-route.ts';
import { createTurns } from './clock.ts';
import { type Framing, framingFor } from './framing.ts';
import { findExcess, isNothing, LiveQuery, type QueryRequest, type Run, TOGETHER_MS, toRun } from './live-query.ts';
import type { LiveStream } from './live-stream.ts';
import type { LiveParts } from './settings.ts';
import { createStreams } from './streams.ts';

/** What was asked for, and how it is answered. */
interface Asked {
  readonly asked: QueryRequest;
  readonly framing: Framing;
}

/** Answers the subscriptions of one gateway. */
export function createLiveQueries(parts: LiveParts) {
  const { graph, store } = parts.gateway;
  const streams = createStreams(parts);
  const turns = createTurns(parts.clock, parts.callsPerMinute);
  const queries = new Set<LiveQuery>();
  const byCaller = new WeakMap<Cache, Map<string, LiveQuery>>();

  let isChanging = false;
  store.onChange(() => {
    if (isChanging || queries.size === 0) return;
    isChanging = true;
    parts.clock.after(TOGETHER_MS, () => {
      isChanging = false;
      for (const query of [...queries]) query.changed();
    });
  });

  const find = ({ caller }: AdmittedRequest, request: QueryRequest): LiveQuery | undefined =>
    byCaller.get(caller.scope.cache)?.get(keyOf(request));
  /** Gives the query of a request; creates it where there is none. */
  const queryOf = (request: QueryRequest, { caller, operation }: AdmittedRequest): LiveQuery => {
    const ofCaller = byCaller.get(caller.scope.cache) ?? new Map<string, LiveQuery>();
    byCaller.set(caller.scope.cache, ofCaller);
    const key = keyOf(request);
    const known = ofCaller.get(key);
    if (known) return known;
    const onEnded = () => {
      queries.delete(query);
      ofCaller.delete(key);
    };
    const query: LiveQuery = new LiveQuery(request, operation, { ...parts, streams, turns, onEnded });
    queries.add(query);
    ofCaller.set(key, query);
    return query;
  };

  const subscribe: AnswerOperation = async (admitted) => {
    const { request, reply, operation, variables, context } = admitted;
    // Whoever wants it explained reads JSON, and no stream.
    if (context.explain) return runOperation(operation, variables, context);
    const framing = framingFor(request);
    streams.admit(admitted.caller);
    const asked = toRequest(admitted);
    const known = find(admitted, asked);
    // Its client may have left while it was authenticated.
    if (known?.isCurrent && !reply.raw.closed) {
      context.operation = operation;
      const report = reportOperation(context, operation, { errors: [], codes: [], hasData: true });
      const stream = streams.open(admitted, framing);
      known.add(stream);
      return { body: stream, status: 200, report };
    }
    return openNew(admitted, asked, framing);
  };

  /** Runs a subscription, and opens the stream that begins with its answer; a refusal is answered as that of any operation. */
  const openNew = async (admitted: AdmittedRequest, asked: QueryRequest, framing: Framing) => {
    const { reply, operation, variables, context } = admitted;
    const at = { sinceMs: store.now(), generation: store.generation };
    context.work.isRepeated = true;
    const answered = await runOperation(operation, variables, context);
    // Its client may have left meanwhile.
    if (answered.status !== 200 || reply.raw.closed) return answered;
    const excess = findExcess(answered, context.work);
    if (excess) throw excess;
    const run = toRun(answered, context.ids, context.work, at);
    const opened = { ...admitted, caller: admitted.caller.accepted?.() ?? admitted.caller };
    // Others may have come meanwhile, and another schema.
    streams.admit(opened.caller, find(opened, asked) ? 0 : operation.bytes + asked.bytes + run.json.length);
    return { body: start(opened, run, { asked, framing }), status: 200, report: answered.report };
  };

  /** Opens the stream of a subscription that has run. */
  const start = (opened: AdmittedRequest, run: Run, { asked, framing }: Asked): LiveStream => {
    const query = isNothing(run) ? undefined : queryOf(asked, opened);
    const stream = streams.open(opened, framing);
    if (query === undefined) {
      stream.send(run.json);
      stream.finish('done');
    } else query.add(stream, run);
    if (opened.version !== graph.current()) query?.prepareAgain();
    return stream;
  };

  return {
    streams,
    queries,
    subscribe,
    /** Prepares all queries for a schema that has taken the place of another. Requests are served between two of them. */
    async schemaReplaced(): Promise<void> {
      for (const query of [...queries]) {
        await nextTurn();
        query.prepareAgain();
      }
    },
  };
}

function toRequest({ operation, variables, caller: { session } }: AdmittedRequest): QueryRequest {
  const { text, operationName, selected } = operation;
  const declared = (selected.definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const given = declared.filter((name) => Object.hasOwn(variables, name)).map((name) => [name, variables[name]]);
  const bytes = JSON_BYTES * JSON.stringify(given).length;
  // Only a team's own fields can depend on who watches.
  const viewer = hasOwnField(selected.selections) ? (session.viewer?.name ?? '') : undefined;
  return { text, operationName, variables: Object.fromEntries(given), viewer, bytes };
}

const hasOwnField = (selections: readonly Selection[]): boolean =>
  selections.some(({ definition, selections: below }) => definition?.extensions.isOwn || hasOwnField(below));

/** A character of JSON takes up to so many bytes once it is parsed, as a list of empty objects does. */
const JSON_BYTES = 24;

const keyOf = ({ text, operationName, variables, viewer }: QueryRequest): string =>
  hash('sha256', JSON.stringify([text, operationName, variables, viewer]), 'base64url');
