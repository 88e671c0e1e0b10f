import { GraphQLError } from 'graphql';

import type { CacheStore } from '../../cache/store.ts';
import { requestTimeoutOf } from '../../config/config.ts';
import { DENIED, isOneOf, UpstreamError, type UpstreamFailure } from '../../core/errors.ts';
import type { Tag, Work } from '../../core/work.ts';
import type { Variables } from '../../graphql/admission/arguments.ts';
import { formatProblem } from '../../graphql/admission/documents.ts';
import { isRefused } from '../../graphql/apollo-server.ts';
import { createContext, type OperationContext } from '../../graphql/context.ts';
import { requestError } from '../../graphql/errors.ts';
import {
  type Answered,
  answerOperation,
  type PreparedOperation,
} from '../../graphql/operations.ts';
import { type createTurns, JITTER } from './clock.ts';
import type { EndReason, LiveStream, Subscription } from './live-stream.ts';
import { RunWork } from './run-work.ts';
import { type LiveParts, READ_KIND } from './settings.ts';
import type { Charge, Streams } from './streams.ts';
import { intervalOf, NESTED_INTERVAL_FACTOR } from './subscription-type.ts';

/** The outcome of a run. */
export interface Run {
  readonly json: Buffer;
  /** When it began, and the changes that were known then. */
  readonly sinceMs: number;
  readonly generation: number;
  /** By which changes outdate it; of a run that has read nothing there are none. */
  readonly tags: ReadonlySet<Tag>;
  /** Why the platform has not given all of it. */
  readonly failure: UpstreamError | undefined;
  readonly isWhole: boolean;
  /** Whether the platform, or an extension, has refused all that was asked for, or nothing was asked for. */
  readonly isNothing: boolean;
}

interface QueryOptions extends LiveParts {
  readonly streams: Pick<Streams, 'bytes' | 'charge' | 'counts'>;
  readonly turns: ReturnType<typeof createTurns>;
  /** Called once, when nobody watches any more. */
  readonly onEnded: () => void;
}

/** Changes that come together are run for together, and so many milliseconds after the last run at least. */
export const TOGETHER_MS = 25;
const GAP_MS = 1_000;
/** Copies that are younger than this share of the interval need no call: other queries have read them. */
const SHARED_SHARE = 0.5;
/** So much longer than its interval an answer may lack confirmation, and a run that failed waits at most so long. */
const OVERDUE_MS = 60_000;
/** How many forms and records one query may watch. */
const MAX_WATCHED = 10;
/** The longest answer, in characters. */
const MAX_ANSWER_LENGTH = 1_048_576;
/** The CPU time of a run. It is measured with other work of the gateway, so one run alone may exceed it. */
const MAX_CPU_MS = 250;
/** The part of the interval that a run may take; a longer run makes the interval longer. */
const RUN_SHARE = 0.1;

/** The failures that say something about what was asked for, and not of the moment alone. */
const FINAL: readonly UpstreamFailure[] = [...DENIED, 'signed-out', 'too-large'];

/**
 * A subscription with its variables, as one caller sees it. It is a query that runs again and again for all streams that show
 * it: what it reads is asked for by conditional calls, and its answer is sent where it differs.
 */
export class LiveQuery {
  readonly streams = new Set<LiveStream>();
  readonly #variables: Variables;
  readonly #variableBytes: number;
  #prepared: PreparedOperation;
  readonly #options: QueryOptions;
  readonly #leastIntervalMs: number;
  #intervalMs: number;
  /** Of the last run. */
  #cpuMs = 0;
  readonly #stopped = new AbortController();
  /** The last run whose answer was taken, and when the platform confirmed that. */
  #taken: Run | undefined;
  #confirmedAtMs = Number.NEGATIVE_INFINITY;
  /** The last answer as it was sent. */
  #shown: Buffer | undefined;
  #isRunning = false;
  #ranAtMs = Number.NEGATIVE_INFINITY;
  #nextRun: { readonly atMs: number; cancel(): void } | undefined;
  /** In a row. */
  #failures = 0;
  #charge: Charge | undefined;

  /** @throws {GraphQLError} where its interval cannot be told. */
  constructor({ operation, variables, bytes }: Subscription, options: QueryOptions) {
    this.#variables = variables;
    this.#variableBytes = bytes;
    this.#prepared = operation;
    this.#options = options;
    const coerced = operation.readVariables(variables);
    if (coerced instanceof GraphQLError) throw coerced;
    this.#leastIntervalMs = intervalOf(operation.selected, coerced, options.leastMs);
    this.#intervalMs = this.#leastIntervalMs;
  }

  /** Whether the answer shows the present state, as far as anybody can tell. */
  get isCurrent(): boolean {
    const { clock, leastMs } = this.#options;
    return !this.#isRunning && !this.#isOutdated && clock.now() - this.#confirmedAtMs <= leastMs;
  }

  /** Whether something was changed through a gateway. */
  get #isOutdated(): boolean {
    const { tags, generation } = this.#taken ?? {};
    return tags !== undefined && this.#options.gateway.store.isStale(tags, generation ?? 0);
  }

  get #isOverdue(): boolean {
    return (
      this.#options.clock.now() - this.#confirmedAtMs > this.#intervalMs * (1 + JITTER) + OVERDUE_MS
    );
  }

  /** Adds a stream, and takes its own first run where it has made one. */
  add(stream: LiveStream, first?: Run): void {
    this.streams.add(stream);
    stream.once('close', () => this.#remove(stream));
    if (first) this.#take(first);
    else this.#account();
    if (this.#shown) stream.send(this.#shown);
  }

  #remove(stream: LiveStream): void {
    this.streams.delete(stream);
    if (this.streams.size === 0) this.#stop();
    else this.#account();
  }

  /** To be called after changes through a gateway. */
  changed(): void {
    if (this.#isOutdated && !this.#isRunning) this.#runSoon();
  }

  /** Admits the operation for the current schema, and runs it. */
  async admitAgain(): Promise<void> {
    if (this.#isStopped) return;
    const { graph } = this.#options.gateway;
    const version = graph.current();
    const admitted = await version.admit(this.#prepared);
    // The schema may have changed again, and this method was called for that change as well.
    if (this.#isStopped || version !== graph.current()) return;
    if (isRefused(admitted)) {
      const message = admitted.errors.map(formatProblem).join('\n');
      this.#fail(requestError(400, message), 'invalid');
      return;
    }
    this.#prepared = admitted;
    this.#account();
    this.#runSoon();
  }

  /** Somebody waits for it, so it takes no turn; the gap keeps one caller's writes from spending the calls of others. */
  #runSoon(): void {
    this.#runAfter(Math.max(0, this.#ranAtMs + GAP_MS - this.#options.clock.now()), this.#hurry);
  }

  readonly #hurry = (): void => {
    const [payer] = this.streams;
    this.#options.turns.hurry(this.#begin, payer?.callerKey);
  };

  /** Waits for the turn of the one who pays for the next run. */
  readonly #wait = (): void => {
    const [payer] = this.streams;
    this.#options.turns.wait(this.#begin, payer?.callerKey);
  };

  /** Runs after so many milliseconds, or earlier where that is planned. */
  #runAfter(ms: number, begin = this.#wait): void {
    const { clock } = this.#options;
    const atMs = clock.now() + ms;
    if (this.#isStopped || (this.#nextRun && this.#nextRun.atMs <= atMs)) return;
    this.#nextRun?.cancel();
    const cancel = clock.after(ms, () => {
      this.#nextRun = undefined;
      if (!this.#isRunning) begin();
    });
    this.#nextRun = { atMs, cancel };
  }

  readonly #begin = (): void => void this.#run();

  async #run(): Promise<void> {
    const [payer] = this.streams;
    if (this.#isStopped || payer === undefined) return;
    // Those who watch the same pay for it in turn.
    this.streams.delete(payer);
    this.streams.add(payer);
    const { counts } = this.#options.streams;
    this.#options.turns.leave(this.#begin);
    this.#isRunning = true;
    this.#ranAtMs = this.#options.clock.now();
    counts.runs++;
    counts.inFlight++;
    try {
      await this.#runFor(payer);
    } catch (error) {
      this.#options.gateway.log.error({ ...payer.ids, err: error }, 'unexpected error');
      this.#fail(requestError(500, 'A run has failed.', 'INTERNAL_SERVER_ERROR'), 'failed');
    }
    counts.inFlight--;
    this.#isRunning = false;
    this.changed();
  }

  async #runFor(payer: LiveStream): Promise<void> {
    const { settings, limits, store, observers } = this.#options.gateway;
    const { ids, caller } = payer;
    const prepared = this.#prepared;
    const nowMs = store.now();
    const work = new RunWork({
      maxCalls: settings.COST_MAX_CALLS,
      received: store.received,
      caller: payer.callerKey,
      callerName: caller.scope.caller,
      readKind: READ_KIND,
      signal: AbortSignal.any([
        this.#stopped.signal,
        AbortSignal.timeout(requestTimeoutOf(settings, limits)),
      ]),
      now: () => nowMs - this.#intervalMs * SHARED_SHARE,
    });
    work.belowSinceMs = nowMs - this.#intervalMs * (NESTED_INTERVAL_FACTOR - SHARED_SHARE);
    const { scope, session } = caller;
    const context = createContext({ ids, client: {}, work, scope, session, observers });
    work.beginTurn();
    const { answered, refusal, run } = await runOnce(
      prepared,
      this.#variables,
      context,
      store,
    ).finally(() => this.#ended(work.endRun(), payer));
    for (const stream of this.streams) stream.polls += work.calls;
    if (this.#isStopped) return;
    if (prepared !== this.#prepared) return this.#runSoon();
    if (refusal) return this.#fail(refusal, 'invalid');
    if (this.#take(run)) observers.operation(answered.report, { ids });
  }

  /** Counts the time of a run, and ends the streams of a query that takes too much of it. */
  #ended(cpuMs: number, { callerKey }: LiveStream): void {
    const { turns, clock } = this.#options;
    turns.count(cpuMs, callerKey);
    this.#intervalMs = Math.max(this.#leastIntervalMs, (clock.now() - this.#ranAtMs) / RUN_SHARE);
    if (Math.min(cpuMs, this.#cpuMs) > MAX_CPU_MS) this.#fail(TOO_COSTLY, 'invalid');
    this.#cpuMs = cpuMs;
  }

  /** Takes a run, unless a newer one was taken. @returns whether it has changed what is shown. */
  #take(run: Run): boolean {
    const { failure, isWhole, tags, sinceMs } = run;
    if (this.#taken && sinceMs < this.#taken.sinceMs) return false;
    const { clock } = this.#options;
    const before = this.#shown;
    const isAnswered = tags.size > 0 || !failure;
    // What the call budget puts off has not failed.
    this.#failures = isAnswered ? 0 : this.#failures + Number(!failure.isUnsent);
    if (isWhole || !this.#keeps(run)) {
      this.#taken = run;
      if (isAnswered) this.#confirmedAtMs = clock.now();
    }
    this.#show();
    if (before && failure?.failure === 'signed-out')
      this.#fail(signedOut(failure), 'credentials refused');
    else this.#runAfter(this.#pauseMs(failure));
    this.changed();
    return before !== this.#shown;
  }

  /** Whether the last answer stands after a run that lacks a part: for as long as nothing is read, else for a minute. */
  #keeps({ tags, isNothing }: Run): boolean {
    if (this.#taken === undefined) return false;
    return (tags.size === 0 && !isNothing) || (this.#taken.isWhole && !this.#isOverdue);
  }

  /** How long to wait for the next run: longer with each that fails. */
  #pauseMs(failure: UpstreamError | undefined): number {
    const backoffMs = Math.min(this.#intervalMs * 2 ** this.#failures, OVERDUE_MS);
    const askedMs = Math.min(failure?.retryAfterMs ?? 0, OVERDUE_MS);
    return Math.max(this.#intervalMs, backoffMs, askedMs) * this.#options.clock.jitter();
  }

  /** Sends the answer where it is not what was sent last. */
  #show(): void {
    if (this.#taken === undefined) return;
    const { json } = this.#taken;
    const isStale = this.#isOverdue || (this.#failures > 0 && this.#isOutdated);
    const shown = isStale ? withStale(json, this.#options.clock.now() - this.#confirmedAtMs) : json;
    if (this.#shown && (this.#shown.equals(shown) || (isStale && this.#shown.length > json.length)))
      return;
    this.#shown = shown;
    this.#account();
    for (const stream of this.streams) stream.send(shown);
    if (this.#options.streams.bytes.excess(this.#charge?.caller, 0))
      this.#fail(TOO_LARGE, 'overloaded');
  }

  /** Counts its memory for one of those who watch. */
  #account(): void {
    const { charge } = this.#options.streams;
    const [owner] = this.streams;
    const bytes = this.#variableBytes + (this.#shown?.length ?? 0);
    const before = this.#charge;
    this.#charge = owner && { caller: owner.callerKey, operation: this.#prepared, bytes };
    if (this.#charge) charge(this.#charge, 1);
    if (before) charge(before, -1);
  }

  /** Ends all streams with an error. */
  #fail(error: GraphQLError, reason: EndReason): void {
    for (const stream of this.streams) stream.fail(error, reason);
    this.#stop();
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  #stop(): void {
    if (this.#isStopped) return;
    this.#stopped.abort();
    this.#nextRun?.cancel();
    this.#options.turns.leave(this.#begin);
    this.streams.clear();
    this.#account();
    this.#options.onEnded();
  }
}

const TOO_LARGE = requestError(
  503,
  'The results of subscriptions are larger than there is memory for them; subscribe again.',
  'OVERLOADED',
);

const TOO_COSTLY = requestError(
  400,
  `Each run of this subscription takes more than ${MAX_CPU_MS} ms of the gateway’s CPU time: select less, or read fewer rows.`,
  'COST_EXCEEDED',
);

/** As an error of the whole answer. */
const signedOut = (failure: UpstreamError) =>
  new GraphQLError(failure.message, { originalError: failure, path: [] });

const withStale = (json: Buffer, ageMs: number): Buffer =>
  Buffer.concat([
    json.subarray(0, -1),
    Buffer.from(`,"extensions":${JSON.stringify({ stale: [{ ageMs: Math.round(ageMs) }] })}}`),
  ]);

/** Runs a subscription. `refusal` is why there is no answer, or none that can be followed. */
export async function runOnce(
  operation: PreparedOperation,
  variables: Variables,
  context: OperationContext,
  store: CacheStore,
) {
  const { work, ids } = context;
  // Noted first: what changes while it reads outdates it.
  const at = { sinceMs: store.now(), generation: store.generation };
  work.isRepeated = true;
  const answered = await answerOperation(operation, variables, context);
  const { errors } = answered.report;
  const { stale, tags } = work;
  // Without the line's end, and without the ids of its request: streams of others share it.
  let json = answered.body.trimEnd();
  for (const [name, id] of errors.length > 0 ? Object.entries(ids) : [])
    json = json.replaceAll(`,"${name}":"${id}"`, '');
  const failures = errors.flatMap(({ originalError }) =>
    originalError instanceof UpstreamError ? [originalError] : [],
  );
  const failure = failures.find((error) => error.failure === 'signed-out') ?? failures[0];
  // What is refused beside others is their part of the answer.
  const lacks =
    tags.size === 0 ? failures.length > 0 : failures.some((error) => !isOneOf(DENIED, error));
  const isNothing = tags.size === 0 && (failure === undefined || isOneOf(FINAL, failure));
  const isWhole = !lacks && stale.length === 0;
  const run: Run = { ...at, json: Buffer.from(json), tags, failure, isWhole, isNothing };
  return {
    answered,
    refusal: answered.status === 200 ? findExcess(answered, work) : errors[0],
    run,
  };
}

/** Says why an answer cannot be followed: it is too long, or reads too much. */
function findExcess({ body }: Answered, { tags }: Pick<Work, 'tags'>): GraphQLError | undefined {
  if (tags.size > MAX_WATCHED) {
    const message = `This reads ${tags.size} resources of the platform, and at most ${MAX_WATCHED} can be watched.`;
    return requestError(400, message, 'COST_EXCEEDED');
  }
  if (body.length <= MAX_ANSWER_LENGTH) return undefined;
  const message = `The result has ${body.length} characters, and at most ${MAX_ANSWER_LENGTH} can be sent again and again.`;
  return requestError(400, message, 'ANSWER_TOO_LARGE');
}
