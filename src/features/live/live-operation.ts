import { GraphQLError } from 'graphql';

import { DENIED, REVOKED } from '../../cache/cache.ts';
import { RequestStats } from '../../cache/stats.ts';
import { isOneOf, UpstreamError, type UpstreamFailure } from '../../core/errors.ts';
import type { GraphqlServer } from '../../graphql/apollo-server.ts';
import { checkDocument } from '../../graphql/documents.ts';
import { requestError, toClientError } from '../../graphql/errors.ts';
import type { PreparedOperation } from '../../graphql/operations.ts';
import { LiveResult } from './live-result.ts';
import type { EndReason, LiveStream } from './live-stream.ts';
import type { Poller, Watch } from './poller.ts';
import type { LiveParts } from './settings.ts';
import type { Share } from './share.ts';
import { intervalOf, RARER, ReadLog } from './subscription-type.ts';

/** What a live operation is made of. */
export interface LiveOperationOptions extends LiveParts {
  readonly poller: Poller;
  readonly counts: { runs: number; results: number };
  /** The characters of all documents, variables and results that are kept. */
  readonly kept: Share;
  /** Called when the answer has turned out to depend on the viewer, of whom there are several. */
  readonly onPersonal: (operation: LiveOperation) => void;
  /** Called once, when it follows nothing any more. */
  readonly onEnded: () => void;
}

/** What tells equal operations of one caller. */
export interface OperationRequest {
  readonly text: string;
  readonly operationName: string | undefined;
  /** Those that the operation declares. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Whose alone the operation is, since its answer depends on them. */
  readonly viewer: string | undefined;
}

/** What a run gave. */
export interface Run {
  readonly body: string;
  readonly reads: ReadLog;
  /** As they were thrown. */
  readonly errors: readonly GraphQLError[];
}

/** What changed together is run for together. */
const TOGETHER_MS = 25;
const MAX_RETRY_MS = 60_000;
/** How many resources may be watched for one operation. */
const MAX_WATCHED = 10;
/** The longest result, in characters. */
const MAX_RESULT_LENGTH = 1_048_576;

/** By whose limit is exceeded. */
export const KEPT_EXCESS = {
  all: 'The results of all subscriptions are as large as the gateway can hold',
  caller: 'The results of your subscriptions are as large as those of one caller may be',
} as const;

/** The failures after which a run is repeated. */
const TRANSIENT: readonly UpstreamFailure[] = [
  'failed',
  'malformed',
  'overloaded',
  'rate-limited',
  'timeout',
  'unavailable',
];

/** A subscription with its variables, as one caller sees it: it runs once for all streams that show it. */
export class LiveOperation {
  readonly streams = new Set<LiveStream>();
  /** What it follows; the poller keeps it. */
  readonly watches = new Set<Watch>();
  readonly request: OperationRequest;
  prepared: PreparedOperation;
  readonly #options: LiveOperationOptions;
  readonly #owner: string | undefined;
  readonly #intervalMs: number;
  readonly #stopped = new AbortController();
  readonly #result = new LiveResult();
  /** How many characters count as kept for it. */
  #kept = 0;
  /** What was confirmed since then is up to date for the next run; absent while nothing has changed. */
  #changedSinceMs: number | undefined;
  #isRunning = false;
  #cancelRun: (() => void) | undefined;
  #failures = 0;

  /**
   * @param owner the caller whose share of the memory it takes.
   * @throws {GraphQLError} where its interval cannot be told.
   */
  constructor(
    request: OperationRequest,
    prepared: PreparedOperation,
    owner: string | undefined,
    options: LiveOperationOptions,
  ) {
    this.request = request;
    this.prepared = prepared;
    this.#owner = owner;
    this.#options = options;
    const { gateway, leastMs } = options;
    const { variables } = request;
    this.#intervalMs = intervalOf(gateway.graph.current().schema, prepared.definition, { variables, leastMs });
  }

  /** Whether the result shows the present state, as far as the polls can tell. */
  get isCurrent(): boolean {
    const { poller, leastMs } = this.#options;
    if (!this.#result.isThere || this.#changedSinceMs !== undefined || this.#isRunning) return false;
    return poller.isCurrent(this, 2 * RARER * leastMs);
  }

  /** Adds a stream, sends it the present result, and takes that of its own first run where it has made one. */
  add(stream: LiveStream, first?: Run): void {
    this.streams.add(stream);
    stream.once('close', () => this.remove(stream));
    if (this.#result.isThere) this.#send(stream);
    if (first) this.#take(first);
  }

  /** Removes a stream; with the last, nothing is followed any more. */
  remove(stream: LiveStream): void {
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    this.#stop();
    this.#keep(0);
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
    this.#show();
  }

  /** Ends where the platform does not accept the caller any more; where it denies a resource, a run says so. */
  pollFailed(error: unknown, sinceMs: number): void {
    if (isOneOf(DENIED, error)) this.changed(sinceMs);
    if (!(error instanceof UpstreamError) || !isOneOf(REVOKED, error)) return;
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

  #runAfter(ms: number): void {
    this.#cancelRun ??= this.#options.clock.after(ms, () => {
      this.#cancelRun = undefined;
      void this.#run();
    });
  }

  /** Runs for what has changed. */
  async #run(): Promise<void> {
    const [stream] = this.streams;
    const sinceMs = this.#changedSinceMs;
    if (this.#isStopped || stream === undefined || sinceMs === undefined) return;
    this.#changedSinceMs = undefined;
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

  async #runFor({ identity, ids }: LiveStream, sinceMs: number): Promise<void> {
    const { settings, runFor } = this.#options.gateway;
    const reads = new ReadLog();
    const stats = new RequestStats(settings.COST_MAX_CALLS, () => sinceMs, identity.scope.received);
    Object.assign(stats, { readKind: 'poll', reads });
    // Its response has begun, so no cookie can be cleared.
    const caller = { ...identity, clearRefusedCookie: undefined };
    const { body, report, refusal } = await runFor(caller, this.prepared, this.request.variables, {
      current: { ids },
      client: {},
      stats,
      work: {
        signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(settings.REQUEST_TIMEOUT_MS)]),
        share: () => () => undefined,
      },
    });
    if (this.#isStopped) return;
    // Several viewers may share a scope, and must not share this.
    if (stats.isPersonal && this.request.viewer === undefined) return this.#options.onPersonal(this);
    const transient = failureAmong(report.errors, TRANSIENT);
    if (transient) return this.#retry(transient, sinceMs);
    this.#failures = 0;
    const excess = refusal ?? findExcess(body, reads);
    if (excess) return this.#fail(excess, 'invalid');
    this.#take({ body, reads, errors: report.errors });
  }

  /** Takes a result, follows what it was made of, and sends it where it differs. */
  #take({ body, reads, errors }: Run): void {
    const { poller, kept } = this.#options;
    const isFirst = !this.#result.isThere;
    poller.follow(this, reads, this.#intervalMs);
    this.#show(body.trimEnd());
    const transient = failureAmong(errors, TRANSIENT);
    const excess = kept.excess(this.#owner, 0);
    if (excess) this.#fail(requestError(503, `${KEPT_EXCESS[excess]}; subscribe again.`, 'OVERLOADED'), 'overloaded');
    // At first it says that the caller has to sign in, and coming again would not help.
    else if (!isFirst && failureAmong(errors, REVOKED)) this.#finish('credentials refused');
    else if (transient) this.#retry(transient);
    else if (this.watches.size === 0) this.#finish('done');
  }

  /** Tries again after a failure that may pass, at growing intervals. The last result stands meanwhile. */
  #retry({ retryAfterMs = 0 }: UpstreamError, sinceMs = this.#options.gateway.store.now()): void {
    const backoffMs = Math.min(this.#intervalMs * 2 ** this.#failures++, MAX_RETRY_MS);
    this.#runAfter(Math.max(backoffMs, retryAfterMs));
    this.changed(sinceMs);
  }

  /** Ends all streams with an error. */
  #fail(error: GraphQLError, reason: EndReason): void {
    const [first] = this.streams;
    if (first === undefined) return;
    this.#show(JSON.stringify({ errors: [toClientError(error, first.ids)], data: null }));
    this.#finish(reason);
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
    this.#cancelRun?.();
    this.#options.poller.unfollow(this);
    this.#options.onEnded();
  }

  /** Sends a result, or the last again, where that is not what was sent before. */
  #show(json?: string): void {
    const { poller } = this.#options;
    if (!this.#result.set(poller.staleReadsOf(this), json)) return;
    const { text, variables } = this.request;
    this.#keep(text.length + JSON.stringify(variables).length + this.#result.length);
    for (const stream of this.streams) this.#send(stream);
  }

  #keep(characters: number): void {
    this.#options.kept.add(this.#owner, characters - this.#kept);
    this.#kept = characters;
  }

  #send(stream: LiveStream): void {
    this.#options.counts.results++;
    stream.send(this.#result.bytesFor(stream.framing));
  }
}

/** Prepares an operation for a schema, unless that has it prepared. Gives the error where it does not fit. */
export function prepare(
  { text, operationName }: Pick<OperationRequest, 'text' | 'operationName'>,
  { schema, prepared }: GraphqlServer,
): PreparedOperation | GraphQLError {
  const known = prepared.get(text, operationName);
  if (known) return known;
  const checked = checkDocument(text, schema);
  if ('problems' in checked) return requestError(400, checked.problems.join('\n'));
  return prepared.prepare(checked.document, text, operationName);
}

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
