import { GraphQLError } from 'graphql';

import { DENIED, isOneOf, UpstreamError, type UpstreamFailure } from '../../core/errors.ts';
import type { RequestIds } from '../../core/observers.ts';
import { Work } from '../../core/work.ts';
import { checkDocument } from '../../graphql/admission/documents.ts';
import type { SchemaVersion } from '../../graphql/apollo-server.ts';
import { requestError } from '../../graphql/errors.ts';
import type { Answered, PreparedOperation } from '../../graphql/operations.ts';
import { type Content, LiveResult, type Shares } from './live-result.ts';
import type { EndReason, LiveStream } from './live-stream.ts';
import type { Poller, Watch } from './poller.ts';
import { type LiveParts, READ_KIND } from './settings.ts';
import { intervalOf, ReadLog } from './subscription-type.ts';

/** The parts of a live operation. */
export interface LiveOperationOptions extends LiveParts {
  readonly poller: Poller;
  readonly counts: { runs: number };
  readonly shares: Shares;
  /** Called when the answer has turned out to depend on the viewer, of whom there are several. */
  readonly onPersonal: (operation: LiveOperation) => void;
  /** Called once, when it follows nothing any more. */
  readonly onEnded: () => void;
}

/** The identity of an operation among those of one caller. */
export interface OperationRequest {
  readonly text: string;
  readonly operationName: string | undefined;
  /** Those that the operation declares. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Whose alone the operation is, since its answer depends on them. */
  readonly viewer: string | undefined;
  /** About how much memory the variables take. */
  readonly bytes: number;
}

/** The result of a run. */
export interface Run extends Content {
  readonly reads: ReadLog;
  /** As they were thrown. */
  readonly errors: readonly GraphQLError[];
}

/** Changes that come together are run for together. */
const TOGETHER_MS = 25;
const MAX_RETRY_MS = 60_000;
/** How many resources may be watched for one operation. */
const MAX_WATCHED = 10;
/** The longest result, in characters. */
const MAX_RESULT_LENGTH = 1_048_576;
const TOO_LARGE = requestError(
  503,
  'The results of subscriptions are larger than there is memory for them; subscribe again.',
  'OVERLOADED',
);

/** For so long the last result stands where the platform refuses a run, or gives a part of what it asks for. */
const KEPT_MS = 60_000;

/** The failures that say nothing about what was asked for; `unauthenticated` is about the gateway's own credentials. */
const TRANSIENT: readonly UpstreamFailure[] = [
  'failed',
  'malformed',
  'overloaded',
  'rate-limited',
  'timeout',
  'unauthenticated',
  'unavailable',
];
/** The failures after which a run is repeated. */
const RETRIED = [...TRANSIENT, ...DENIED];
/** The platform does not accept the caller any more. */
const SIGNED_OUT: readonly UpstreamFailure[] = ['signed-out'];

/** A subscription with its variables, as one caller sees it: it runs once for all streams that show it. */
export class LiveOperation {
  readonly streams = new Set<LiveStream>();
  /** The resources that it follows; the poller keeps them. */
  readonly watches = new Set<Watch>();
  readonly request: OperationRequest;
  prepared: PreparedOperation;
  /** The last one. */
  result: LiveResult | undefined;
  readonly #options: LiveOperationOptions;
  readonly #intervalMs: number;
  readonly #stopped = new AbortController();
  /** Answers confirmed since then are up to date for the next run; absent while nothing has changed. */
  #changedSinceMs: number | undefined;
  /** The same for a run that is tried again. */
  #retrySinceMs: number | undefined;
  #isRunning = false;
  #nextRun: { readonly atMs: number; cancel(): void } | undefined;
  #failures = 0;
  /** Whether the platform has given all that the last result asked for. */
  #isWhole = false;
  /** Since when no run has given a result; absent while the last one has. */
  #failingSinceMs: number | undefined;

  /** @throws {GraphQLError} where its interval cannot be told. */
  constructor(request: OperationRequest, prepared: PreparedOperation, options: LiveOperationOptions) {
    this.request = request;
    this.prepared = prepared;
    this.#options = options;
    const { leastMs } = options;
    const variables = prepared.readVariables(request.variables);
    if (variables instanceof GraphQLError) throw variables;
    const { schema, definition } = prepared.selected;
    this.#intervalMs = intervalOf(schema, definition, { variables, leastMs });
  }

  /** Whether the result shows the present state, as far as the polls can tell. */
  get isCurrent(): boolean {
    if (!this.result || this.#isRunning || (this.#changedSinceMs ?? this.#retrySinceMs) !== undefined) return false;
    return this.#options.poller.isCurrent(this);
  }

  /** Adds a stream, takes the result of its own first run where it has made one, and sends it the present result. */
  add(stream: LiveStream, first?: Run): void {
    this.streams.add(stream);
    stream.once('close', () => this.remove(stream));
    // It may have followed another operation.
    this.result ??= stream.latest;
    if (first && !(this.result && this.#isBetterThan(first))) this.#take(first);
    else if (first && failureAmong(first.errors, TRANSIENT)) this.#keepResult(first, this.#options.gateway.store.now());
    if (this.result) stream.send(this.result.isStale ? this.#resultOf(this.result.content) : this.result);
  }

  /** Removes a stream; with the last, nothing is followed any more. */
  remove(stream: LiveStream): void {
    this.streams.delete(stream);
    if (this.streams.size === 0) this.#stop();
  }

  /** The platform was called for it. */
  polled(): void {
    for (const stream of this.streams) stream.polls++;
  }

  /** Something is not as it was read; what was confirmed since then is up to date. */
  changed(sinceMs: number): void {
    this.#changedSinceMs = Math.min(this.#changedSinceMs ?? Number.POSITIVE_INFINITY, sinceMs);
    if (!this.#isRunning) this.#runAfter(TOGETHER_MS);
  }

  /** Something has not been confirmed for too long, or now is again. */
  confirmationChanged(): void {
    if (this.result) this.#show(this.result.content);
  }

  /** Ends where the platform does not accept the caller any more; where it denies a resource, a run says so. */
  pollFailed(error: unknown, sinceMs: number): void {
    if (isOneOf(DENIED, error)) this.changed(sinceMs);
    if (!(error instanceof UpstreamError) || !isOneOf(SIGNED_OUT, error)) return;
    // As an error of the whole result.
    this.#fail(new GraphQLError(error.message, { originalError: error, path: [] }), 'credentials refused');
  }

  /** Prepares the operation for the schema that serves now, and runs it. */
  prepareAgain(): void {
    if (this.#isStopped) return;
    const { graph, store } = this.#options.gateway;
    const again = prepare(this.request, graph.current());
    if (again instanceof GraphQLError) {
      this.#fail(again, 'invalid');
      return;
    }
    this.prepared = again;
    this.changed(store.now());
  }

  /** Runs after so many milliseconds, or earlier where that is planned. */
  #runAfter(ms: number): void {
    const { clock } = this.#options;
    const atMs = clock.now() + ms;
    if (this.#nextRun && this.#nextRun.atMs <= atMs) return;
    this.#nextRun?.cancel();
    const cancel = clock.after(ms, () => {
      this.#nextRun = undefined;
      void this.#run();
    });
    this.#nextRun = { atMs, cancel };
  }

  /** Runs for what has changed, or for what has failed. */
  async #run(): Promise<void> {
    const [stream] = this.streams;
    const causes = [this.#changedSinceMs, this.#retrySinceMs].filter((ms) => ms !== undefined);
    if (this.#isStopped || stream === undefined || causes.length === 0) return;
    // What was read before a long failure is read again.
    const sinceMs = Math.max(Math.min(...causes), this.#options.gateway.store.now() - this.#intervalMs);
    this.#changedSinceMs = undefined;
    this.#retrySinceMs = undefined;
    this.#isRunning = true;
    this.#options.counts.runs++;
    try {
      await this.#runFor(stream, sinceMs);
    } catch (error) {
      this.#options.gateway.log.error({ ...stream.ids, err: error }, 'unexpected error');
      this.#fail(requestError(500, 'A run has failed.', 'INTERNAL_SERVER_ERROR'), 'failed');
    } finally {
      this.#isRunning = false;
    }
    if (this.#changedSinceMs !== undefined) this.#runAfter(TOGETHER_MS);
  }

  async #runFor(stream: LiveStream, sinceMs: number): Promise<void> {
    const { gateway, poller } = this.#options;
    const { COST_MAX_CALLS: maxCalls, REQUEST_TIMEOUT_MS: timeoutMs } = gateway.settings;
    const reads = new ReadLog();
    const payer = poller.payerOf(this) ?? stream;
    const caller = payer.callerKey;
    const work = new Work({
      maxCalls,
      received: gateway.store.received,
      caller,
      callerName: payer.caller.scope.caller,
      signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(timeoutMs)]),
      now: () => sinceMs,
    });
    work.readKind = READ_KIND;
    work.reads = reads;
    // Its response has begun, so no cookie can be cleared.
    const runsFor = { ...stream.caller, clearRefusedCookie: undefined };
    const options = { current: { ids: stream.ids }, client: {}, work };
    const running = gateway.runFor(runsFor, this.prepared, this.request.variables, options);
    const answered = await running.finally(() => work.finish());
    poller.pay(caller, work.calls);
    if (this.#isStopped) return;
    // Several viewers may share a scope, and must not share this.
    if (work.isPersonal && this.request.viewer === undefined) return this.#options.onPersonal(this);
    const { body, status, report } = answered;
    const [refusal] = status === 200 ? [] : report.errors;
    const excess = refusal ?? findExcess(body, reads);
    if (excess) return this.#fail(excess, 'invalid');
    const run = toRun(answered, stream.ids, reads, work);
    if (this.#isBetterThan(run)) this.#keepResult(run, sinceMs);
    else this.#take(run);
  }

  /**
   * Whether the last result stands after a run: for as long as nothing was read, and for a minute where a part was, unless
   * that lacks a part as well.
   */
  #isBetterThan(run: Run): boolean {
    if (!hasFailed(run) || failureAmong(run.errors, SIGNED_OUT)) return false;
    return run.isStale || run.reads.size === 0 || (this.#isWhole && !this.#isLasting);
  }

  get #isLasting(): boolean {
    const nowMs = this.#options.clock.now();
    return nowMs - (this.#failingSinceMs ?? nowMs) >= KEPT_MS;
  }

  /** Takes a result unless a newer one was sent, follows what it was made of, and sends it where it differs. */
  #take(run: Run): void {
    const { reads, errors, isStale } = run;
    const isFirst = this.result === undefined;
    if (!this.#options.poller.follow(this, reads, this.#intervalMs)) return;
    this.#failingSinceMs = undefined;
    this.#isWhole = !failureAmong(errors, TRANSIENT);
    this.#show(run);
    const failure = failureAmong(errors, RETRIED);
    this.#nextRun?.cancel();
    this.#nextRun = undefined;
    this.#retrySinceMs = undefined;
    // At first it says that the caller has to sign in, and coming again would not help.
    if (!isFirst && failureAmong(errors, SIGNED_OUT)) this.#finish('credentials refused');
    else if (failure || isStale) this.#retry(failure);
    else this.#failures = 0;
    if (this.#changedSinceMs !== undefined) this.changed(this.#changedSinceMs);
  }

  /** Keeps the last result and what it was made of, after a run that gave none. */
  #keepResult(run: Run, sinceMs: number): void {
    const { clock } = this.#options;
    const isRefusal = isRefused(run);
    // There is no result worth keeping.
    if (isRefusal && this.watches.size === 0) {
      this.#show(run);
      this.#finish('done');
      return;
    }
    const failure = failureAmong(run.errors, RETRIED);
    // What the call budget puts off has not failed.
    if (!failure?.isUnsent) this.#failingSinceMs ??= clock.now();
    if (isRefusal && this.#isLasting) this.#show(run);
    else this.confirmationChanged();
    this.#retry(failure, sinceMs);
  }

  /** Tries again after a failure, at growing intervals. */
  #retry(failure: UpstreamError | undefined, sinceMs = this.#options.gateway.store.now()): void {
    const backoffMs = Math.min(this.#intervalMs * 2 ** this.#failures++, MAX_RETRY_MS);
    this.#retrySinceMs = Math.min(this.#retrySinceMs ?? sinceMs, sinceMs);
    // A pause of the platform may be an hour, and end with a probe.
    this.#runAfter(Math.max(backoffMs, Math.min(failure?.retryAfterMs ?? 0, KEPT_MS)));
  }

  /** Ends all streams with an error. */
  #fail(error: GraphQLError, reason: EndReason): void {
    for (const stream of this.streams) stream.fail(error, reason);
    this.#stop();
  }

  #finish(reason: EndReason): void {
    for (const stream of this.streams) stream.finish(reason);
    this.#stop();
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  #stop(): void {
    if (this.#isStopped) return;
    this.#stopped.abort();
    this.#nextRun?.cancel();
    this.#options.poller.unfollow(this);
    this.#options.onEnded();
  }

  /** Whether something is known to have changed since, or has not been confirmed for too long. */
  get #isStale(): boolean {
    return this.#failingSinceMs !== undefined || this.#options.poller.isOverdue(this);
  }

  /** The result as it is now: with its age where it is stale. */
  #resultOf({ json, isStale }: Content): LiveResult {
    const { poller, shares } = this.#options;
    return new LiveResult({ json, isStale }, shares, this, this.#isStale ? poller.staleReadsOf(this) : []);
  }

  /** Sends a result that was not sent before. Ends the streams of those whom it makes hold too much. */
  #show({ json, isStale }: Content): void {
    const { shares } = this.#options;
    const last = this.result;
    if (last?.content.json.equals(json) && last.isStale === (isStale || this.#isStale)) return;
    const result = this.#resultOf({ json, isStale });
    this.result = result;
    for (const stream of this.streams) stream.send(result);
    for (const stream of this.streams) {
      if (shares.latest.excess(stream.callerKey)) stream.fail(TOO_LARGE, 'overloaded');
    }
  }
}

/** Prepares an operation for a schema, unless that has it prepared. Gives the error where it does not fit. */
function prepare(
  { text, operationName }: Pick<OperationRequest, 'text' | 'operationName'>,
  { schema, prepared }: SchemaVersion,
): PreparedOperation | GraphQLError {
  const known = prepared.get(text, operationName);
  if (known) return known;
  const checked = checkDocument(text, schema);
  if ('problems' in checked) return requestError(400, checked.problems.join('\n'));
  return prepared.prepare(checked.document, text, operationName);
}

/** The text of a run's result, without the line's end, and without the ids of its request: streams of others share it. */
export function toRun(answered: Answered, ids: RequestIds, reads: ReadLog, { stale }: Pick<Work, 'stale'>): Run {
  const { errors } = answered.report;
  let body = answered.body.trimEnd();
  for (const [name, id] of errors.length > 0 ? Object.entries(ids) : [])
    body = body.replaceAll(`,"${name}":"${id}"`, '');
  return { json: Buffer.from(body), reads, errors, isStale: stale.length > 0 };
}

/** Whether a run has given no result to show in place of another. */
const hasFailed = (run: Run): boolean =>
  run.isStale || failureAmong(run.errors, TRANSIENT) !== undefined || isRefused(run);

/** Whether the platform, or an extension, has refused all that a run has asked for. */
export const isRefused = ({ reads, errors }: Run): boolean => reads.size === 0 && !failureAmong(errors, TRANSIENT);

/** Says why a result cannot be followed: it is too long, or reads too much. */
export function findExcess(body: string, { size: watched }: ReadLog): GraphQLError | undefined {
  if (watched > MAX_WATCHED) {
    const message = `This reads ${watched} resources of the platform, and at most ${MAX_WATCHED} can be watched.`;
    return requestError(400, message, 'COST_EXCEEDED');
  }
  if (body.length <= MAX_RESULT_LENGTH) return undefined;
  const message = `The result has ${body.length} characters, and at most ${MAX_RESULT_LENGTH} can be sent again and again.`;
  return requestError(400, message, 'ANSWER_TOO_LARGE');
}

const failureAmong = (errors: Run['errors'], failures: readonly UpstreamFailure[]): UpstreamError | undefined =>
  errors
    .flatMap(({ originalError }) => (originalError instanceof UpstreamError ? [originalError] : []))
    .find((error) => isOneOf(failures, error));
