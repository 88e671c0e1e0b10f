import { GraphQLError } from 'graphql';

import type { CacheStore } from '../../cache/store.ts';
import { requestTimeoutOf } from '../../config/config.ts';
import { DENIED, isOneOf, UpstreamError, type UpstreamFailure } from '../../core/errors.ts';
import type { RequestState, Tag } from '../../core/request-state.ts';
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
import { JITTER, type Turns } from './clock.ts';
import type { EndReason, LiveStream, Subscription } from './live-stream.ts';
import { RunState } from './run-state.ts';
import { type LiveParts, READ_KIND } from './settings.ts';
import type { Charge, Streams } from './streams.ts';
import { intervalOf, NESTED_INTERVAL_FACTOR } from './subscription-type.ts';

/** The outcome of a run. */
export interface Run {
  readonly json: Buffer;
  /** The start of the run in milliseconds, and the generation of the cache at that time. */
  readonly sinceMs: number;
  readonly generation: number;
  /**
   * The tags of the records that it has read. A change with one of these tags makes the outcome
   * stale. Empty if nothing was read.
   */
  readonly tags: ReadonlySet<Tag>;
  /** Why a part is missing. */
  readonly failure: UpstreamError | undefined;
  readonly isWhole: boolean;
  /**
   * Whether nothing was read, and a later run would not read anything either: the platform or an
   * extension refused everything, or there was nothing to read.
   */
  readonly isNothing: boolean;
}

interface QueryOptions extends LiveParts {
  readonly streams: Pick<Streams, 'bytes' | 'charge' | 'counts'>;
  readonly turns: Turns;
  /** Called once, after the last stream has closed. */
  readonly onEnded: () => void;
}

/**
 * Milliseconds during which changes are collected, so that one run follows them; and the least time
 * between the starts of two runs.
 */
export const TOGETHER_MS = 25;
const GAP_MS = 1_000;
/**
 * The share of the interval during which a copy is fresh, because another query has just read it.
 */
const SHARED_SHARE = 0.5;
/**
 * How much longer than its interval an answer may be unconfirmed, and the longest wait after a
 * failed run, in milliseconds.
 */
const OVERDUE_MS = 60_000;
/** The maximum number of forms and records that one query may watch. */
const MAX_WATCHED = 10;
/** The maximum length of an answer, in characters. */
const MAX_ANSWER_LENGTH = 1_048_576;
/**
 * The maximum CPU time of a run. The measurement includes other work of the gateway, so a single
 * run may exceed it.
 */
const MAX_CPU_MS = 250;
/** The share of the interval that a run may take. A longer run lengthens the interval. */
const RUN_SHARE = 0.1;

/** Failures that will recur for this query, as opposed to temporary ones. */
const FINAL: readonly UpstreamFailure[] = [...DENIED, 'signed-out', 'too-large'];

/**
 * A subscription with its variables, as one caller sees it. It is a query that runs repeatedly for
 * all streams that show it. It reads the platform by conditional requests, and sends its answer if
 * it has changed.
 */
export class LiveQuery {
  readonly streams = new Set<LiveStream>();
  readonly #variables: Variables;
  readonly #variableBytes: number;
  #prepared: PreparedOperation;
  readonly #options: QueryOptions;
  readonly #leastIntervalMs: number;
  #intervalMs: number;
  /** The CPU time of the last run. */
  #cpuMs = 0;
  readonly #stopped = new AbortController();
  /** The last accepted run, and when the platform last confirmed its answer. */
  #taken: Run | undefined;
  #confirmedAtMs = Number.NEGATIVE_INFINITY;
  /** The last answer that was sent. */
  #shown: Buffer | undefined;
  #isRunning = false;
  #ranAtMs = Number.NEGATIVE_INFINITY;
  #nextRun: { readonly atMs: number; cancel(): void } | undefined;
  /** The number of consecutive failed runs. */
  #failures = 0;
  #charge: Charge | undefined;

  /** @throws {GraphQLError} if the variables are invalid, or the interval cannot be determined. */
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

  /** Whether the answer was confirmed recently, and no change through a gateway is known since. */
  get isCurrent(): boolean {
    const { clock, leastMs } = this.#options;
    return !this.#isRunning && !this.#isOutdated && clock.now() - this.#confirmedAtMs <= leastMs;
  }

  /** Whether a change through a gateway has made the last run stale. */
  get #isOutdated(): boolean {
    if (this.#taken === undefined) return false;
    const { tags, generation } = this.#taken;
    return this.#options.gateway.store.isStale(tags, generation);
  }

  get #isOverdue(): boolean {
    const ageMs = this.#options.clock.now() - this.#confirmedAtMs;
    return ageMs > this.#intervalMs * (1 + JITTER) + OVERDUE_MS;
  }

  /** Adds a stream, and accepts the run that its request has already made. */
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

  /** Runs again if changes have made the answer stale. Called after changes through a gateway. */
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

  /**
   * Runs without waiting for a turn, since a change is known. The gap prevents one caller's writes
   * from using up the calls of others.
   */
  #runSoon(): void {
    const gapMs = this.#ranAtMs + GAP_MS - this.#options.clock.now();
    this.#runAfter(Math.max(0, gapMs), this.#hurry);
  }

  readonly #hurry = (): void => {
    const [payer] = this.streams;
    this.#options.turns.hurry(this.#begin, payer?.callerKey);
  };

  /** Waits for the turn of the caller who pays for the next run. */
  readonly #wait = (): void => {
    const [payer] = this.streams;
    this.#options.turns.wait(this.#begin, payer?.callerKey);
  };

  /** Schedules a run after `ms` milliseconds, unless an earlier one is scheduled. */
  #runAfter(ms: number, begin = this.#wait): void {
    const { clock } = this.#options;
    const atMs = clock.now() + ms;
    if (this.#isStopped) return;
    if (this.#nextRun && this.#nextRun.atMs <= atMs) return;
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
    // Streams that share a query take turns in paying for its runs.
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
    const requestState = new RunState({
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
    requestState.belowSinceMs = nowMs - this.#intervalMs * (NESTED_INTERVAL_FACTOR - SHARED_SHARE);
    const { scope, session } = caller;
    const context = createContext({ ids, client: {}, requestState, scope, session, observers });
    requestState.beginTurn();
    const running = runOnce(prepared, this.#variables, context, store);
    const { answered, refusal, run } = await running.finally(() =>
      this.#ended(requestState.endRun(), payer),
    );
    for (const stream of this.streams) stream.polls += requestState.calls;
    if (this.#isStopped) return;
    if (prepared !== this.#prepared) return this.#runSoon();
    if (refusal) return this.#fail(refusal, 'invalid');
    if (this.#take(run)) observers.operation(answered.report, { ids });
  }

  /** Counts the CPU time of a run. Ends the streams if two runs in a row exceed the maximum. */
  #ended(cpuMs: number, { callerKey }: LiveStream): void {
    const { turns, clock } = this.#options;
    turns.count(cpuMs, callerKey);
    const durationMs = clock.now() - this.#ranAtMs;
    this.#intervalMs = Math.max(this.#leastIntervalMs, durationMs / RUN_SHARE);
    if (Math.min(cpuMs, this.#cpuMs) > MAX_CPU_MS) this.#fail(TOO_COSTLY, 'invalid');
    this.#cpuMs = cpuMs;
  }

  /**
   * Accepts a run, unless a newer one was accepted before.
   *
   * @returns whether the shown answer has changed.
   */
  #take(run: Run): boolean {
    const { failure, isWhole, tags, sinceMs } = run;
    if (this.#taken && sinceMs < this.#taken.sinceMs) return false;

    const before = this.#shown;
    const isAnswered = tags.size > 0 || !failure;
    if (isAnswered) this.#failures = 0;
    // A run that the call budget has delayed is not a failure.
    else if (!failure.isUnsent) this.#failures++;
    if (isWhole || !this.#keeps(run)) {
      this.#taken = run;
      if (isAnswered) this.#confirmedAtMs = this.#options.clock.now();
    }
    this.#show();

    if (before && failure?.failure === 'signed-out') {
      this.#fail(signedOut(failure), 'credentials refused');
    } else {
      this.#runAfter(this.#pauseMs(failure));
    }
    this.changed();
    return before !== this.#shown;
  }

  /**
   * Returns whether the last answer is kept after an incomplete run. It is kept if nothing could be
   * read for now. A complete answer is also kept until it is overdue.
   */
  #keeps({ tags, isNothing }: Run): boolean {
    if (this.#taken === undefined) return false;
    const isUnreadable = tags.size === 0 && !isNothing;
    return isUnreadable || (this.#taken.isWhole && !this.#isOverdue);
  }

  /**
   * Returns the wait until the next run, in milliseconds. It grows with each consecutive failure.
   */
  #pauseMs(failure: UpstreamError | undefined): number {
    const backoffMs = Math.min(this.#intervalMs * 2 ** this.#failures, OVERDUE_MS);
    const askedMs = Math.min(failure?.retryAfterMs ?? 0, OVERDUE_MS);
    return Math.max(this.#intervalMs, backoffMs, askedMs) * this.#options.clock.jitter();
  }

  /** Sends the answer if it differs from the last one that was sent. */
  #show(): void {
    if (this.#taken === undefined) return;
    const { json } = this.#taken;
    const isStale = this.#isOverdue || (this.#failures > 0 && this.#isOutdated);
    // The age changes with each run, so a stale answer is sent once.
    if (isStale && this.#shown && this.#shown.length > json.length) return;
    const ageMs = this.#options.clock.now() - this.#confirmedAtMs;
    const shown = isStale ? withStale(json, ageMs) : json;
    if (this.#shown?.equals(shown)) return;

    this.#shown = shown;
    this.#account();
    for (const stream of this.streams) stream.send(shown);
    const isTooLarge = this.#options.streams.bytes.excess(this.#charge?.caller, 0);
    if (isTooLarge) this.#fail(TOO_LARGE, 'overloaded');
  }

  /** Charges the memory of the query to one of its streams' callers. */
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

/** Returns the failure as an error of the whole answer. */
const signedOut = (failure: UpstreamError) =>
  new GraphQLError(failure.message, { originalError: failure, path: [] });

const withStale = (json: Buffer, ageMs: number): Buffer =>
  Buffer.concat([
    json.subarray(0, -1),
    Buffer.from(`,"extensions":${JSON.stringify({ stale: [{ ageMs: Math.round(ageMs) }] })}}`),
  ]);

/** A run, with the response that it comes from. */
interface RunOutcome {
  readonly answered: Answered;
  /** The error if there is no answer, or the answer cannot be watched. */
  readonly refusal: GraphQLError | undefined;
  readonly run: Run;
}

/** Runs a subscription once. */
export async function runOnce(
  operation: PreparedOperation,
  variables: Variables,
  context: OperationContext,
  store: CacheStore,
): Promise<RunOutcome> {
  const { requestState, ids } = context;
  // The generation is read first, so that a change during the run makes it stale.
  const at = { sinceMs: store.now(), generation: store.generation };
  requestState.isRepeated = true;
  const answered = await answerOperation(operation, variables, context);
  const { errors } = answered.report;
  const { stale, tags } = requestState;

  // Removes the trailing newline.
  let json = answered.body.trimEnd();
  if (errors.length > 0) {
    // Other streams share the answer, so the ids of this request do not belong in it.
    for (const [name, id] of Object.entries(ids)) json = json.replaceAll(`,"${name}":"${id}"`, '');
  }

  const failures = errors
    .map(({ originalError }) => originalError)
    .filter((error) => error instanceof UpstreamError);
  const failure = failures.find((error) => error.failure === 'signed-out') ?? failures[0];
  const isUnread = tags.size === 0;
  // A refused part is a regular part of an answer, if other parts were read.
  const isLacking = failures.some((error) => isUnread || !isOneOf(DENIED, error));
  const run: Run = {
    ...at,
    json: Buffer.from(json),
    tags,
    failure,
    isWhole: !isLacking && stale.length === 0,
    isNothing: isUnread && (failure === undefined || isOneOf(FINAL, failure)),
  };
  const refusal = answered.status === 200 ? findExcess(answered, requestState) : errors[0];
  return { answered, refusal, run };
}

/**
 * Returns the error for an answer that is too long, or that reads too many records. Returns
 * `undefined` if it can be watched.
 */
function findExcess(
  { body }: Answered,
  { tags }: Pick<RequestState, 'tags'>,
): GraphQLError | undefined {
  if (tags.size > MAX_WATCHED) {
    const message = `This reads ${tags.size} resources of the platform, and at most ${MAX_WATCHED} can be watched.`;
    return requestError(400, message, 'COST_EXCEEDED');
  }
  if (body.length <= MAX_ANSWER_LENGTH) return undefined;
  const message = `The result has ${body.length} characters, and at most ${MAX_ANSWER_LENGTH} can be sent again and again.`;
  return requestError(400, message, 'ANSWER_TOO_LARGE');
}
