import { GraphQLError } from 'graphql';

import type { Cache } from '../../cache/cache.ts';
import { RequestStats } from '../../cache/stats.ts';
import { isOneOf, UpstreamError, type UpstreamFailure } from '../../core/errors.ts';
import type { RequestIds } from '../../core/observers.ts';
import type { GatewayParts } from '../../feature.ts';
import type { GraphqlServer } from '../../graphql/apollo-server.ts';
import { createContext } from '../../graphql/context.ts';
import { checkDocument } from '../../graphql/documents.ts';
import { requestError, toClientError } from '../../graphql/errors.ts';
import { type PreparedOperation, reportOperation, runOperation } from '../../graphql/operations.ts';
import { pageSizes } from '../../graphql/relay.ts';
import type { Identity } from '../../http/auth/identity.ts';
import type { Clock } from './clock.ts';
import type { Framing } from './framing.ts';
import { type Follower, type Overdue, type Poller, REVOKED } from './poller.ts';
import type { ResultStream } from './result-stream.ts';
import { intervalOf, ReadLog } from './subscription-type.ts';

/** An open stream. */
export interface Subscriber {
  readonly stream: ResultStream;
  readonly identity: Identity;
  readonly ids: RequestIds;
}

/** What a live operation is made of. */
export interface LiveOperationOptions {
  readonly gateway: Pick<GatewayParts, 'graph' | 'settings' | 'observers' | 'store'>;
  readonly poller: Poller;
  readonly clock: Clock;
  readonly leastMs: number;
  readonly counts: { runs: number; results: number };
}

/** What tells equal operations of one caller. */
export interface OperationRequest {
  readonly text: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What a run gave. */
export interface FirstRun {
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

/** The failures after which a run is repeated. */
const TRANSIENT: readonly UpstreamFailure[] = [
  ...(['failed', 'malformed', 'overloaded', 'rate-limited', 'timeout', 'unavailable'] as const),
];

/** A subscription with its variables, as one caller sees it: it runs once for all streams that show it. */
export class LiveOperation implements Follower {
  readonly subscribers = new Set<Subscriber>();
  readonly request: OperationRequest;
  /** Whether it is one viewer's, since its answer depends on them. */
  readonly isPersonal: boolean;
  /** Called when the answer has turned out to depend on the viewer, of whom there are several. */
  onPersonal: () => void = () => undefined;
  readonly #options: LiveOperationOptions;
  readonly #cache: Cache;
  readonly #stopped = new AbortController();
  readonly #intervalMs: number;
  #prepared: PreparedOperation;
  #json = '';
  #shown = '';
  readonly #buffers = new Map<Framing, Buffer>();
  /** What was confirmed since then is up to date for the next run; absent while nothing has changed. */
  #changedSinceMs: number | undefined;
  #isRunning = false;
  #cancelRun: (() => void) | undefined;
  #failures = 0;

  /** @throws {GraphQLError} where its interval cannot be told. */
  constructor(
    request: OperationRequest & Pick<LiveOperation, 'isPersonal'>,
    prepared: PreparedOperation,
    options: LiveOperationOptions & { readonly cache: Cache },
  ) {
    this.request = request;
    this.isPersonal = request.isPersonal;
    this.#cache = options.cache;
    this.#prepared = prepared;
    this.#options = options;
    const { gateway, leastMs } = options;
    const { variables } = request;
    this.#intervalMs = intervalOf(gateway.graph.current().schema, prepared.definition, { variables, leastMs });
  }

  /** Adds a stream and sends it the present result; that of its own first run, where it has made one. */
  add(subscriber: Subscriber, first?: FirstRun): void {
    this.subscribers.add(subscriber);
    const isSent = first && this.#accept(first);
    if (!isSent) this.#send(subscriber.stream);
  }

  /** Whether the result shows the present state, as far as the polls can tell. */
  isCurrent(): boolean {
    const { poller, leastMs } = this.#options;
    const isIdle = this.#changedSinceMs === undefined && !this.#isRunning && this.#failures === 0;
    return isIdle && this.#json !== '' && poller.isCurrent(this.#cache, this, 2 * leastMs);
  }

  get length(): number {
    return this.#json.length;
  }

  /** @throws {GraphQLError} where a result cannot be followed: it is too long, or reads too much. */
  static check(body: string, reads: ReadLog): void {
    const watched = [...reads.values()].filter(({ isDefinition }) => !isDefinition).length;
    if (watched > MAX_WATCHED) {
      const message = `This reads ${watched} resources of the platform, and at most ${MAX_WATCHED} can be watched.`;
      throw requestError(400, message, 'COST_EXCEEDED');
    }
    if (body.length <= MAX_RESULT_LENGTH) return;
    const message = `The result has ${body.length} characters, and at most ${MAX_RESULT_LENGTH} can be sent again and again.`;
    throw requestError(400, message, 'ANSWER_TOO_LARGE');
  }

  /** Takes a result, follows what it was made of, and sends it where it differs. @returns whether it was sent. */
  #accept({ body, reads, errors }: FirstRun): boolean {
    const { poller } = this.#options;
    poller.follow(this.#cache, this, reads, this.#intervalMs);
    this.#json = body.trimEnd();
    const isSent = this.#show();
    const revoked = failuresOf(errors).find((error) => isOneOf(REVOKED, error));
    const transient = failuresOf(errors).find((error) => isOneOf(TRANSIENT, error));
    if (revoked) this.finish(false);
    else if (transient) this.#retry(transient, undefined);
    // Nothing that could change was read.
    else if ([...reads.values()].every(({ isDefinition }) => isDefinition)) this.finish(true);
    return isSent;
  }

  changed(sinceMs: number): void {
    this.#changedSinceMs = Math.min(this.#changedSinceMs ?? Number.POSITIVE_INFINITY, sinceMs);
    if (!this.#isRunning) this.#runAfter(TOGETHER_MS);
  }

  confirmationChanged(): void {
    this.#show();
  }

  refused(error: UpstreamError): void {
    // As an error of the whole result.
    this.fail(new GraphQLError(error.message, { originalError: error, path: [] }), false);
  }

  /** Prepares the operation for the schema that serves now, and runs it. */
  prepareAgain(): void {
    const { graph, store } = this.#options.gateway;
    const prepared = prepare(this.request, graph.current());
    if (prepared instanceof GraphQLError) {
      this.fail(prepared, true);
      return;
    }
    this.#prepared = prepared;
    this.changed(store.now());
  }

  /** Ends all streams with an error. */
  fail(error: GraphQLError, isComplete: boolean): void {
    const [first] = this.subscribers;
    this.#json = JSON.stringify({ errors: [toClientError(error, first?.ids ?? { requestId: '' })], data: null });
    this.#show();
    this.finish(isComplete);
  }

  finish(isComplete: boolean): void {
    for (const { stream } of this.subscribers) stream.finish(isComplete);
  }

  /** Follows nothing any more. */
  stop(): void {
    this.#cancelRun?.();
    this.#stopped.abort();
    this.#options.poller.unfollow(this.#cache, this);
  }

  #runAfter(ms: number): void {
    this.#cancelRun ??= this.#options.clock.after(ms, () => {
      this.#cancelRun = undefined;
      void this.#run();
    });
  }

  /** Runs for what has changed. */
  async #run(): Promise<void> {
    const [subscriber] = this.subscribers;
    const sinceMs = this.#changedSinceMs;
    if (subscriber === undefined || sinceMs === undefined) return;
    this.#changedSinceMs = undefined;
    this.#isRunning = true;
    this.#options.counts.runs++;
    try {
      await this.#runFor(subscriber, sinceMs);
    } finally {
      this.#isRunning = false;
    }
    if (this.#changedSinceMs !== undefined) this.#runAfter(TOGETHER_MS);
  }

  async #runFor({ identity: { scope, session }, ids }: Subscriber, sinceMs: number): Promise<void> {
    const { settings, observers } = this.#options.gateway;
    const reads = new ReadLog();
    const stats = new RequestStats(settings.COST_MAX_CALLS, () => sinceMs, scope.received);
    Object.assign(stats, { readKind: 'poll', reads });
    const context = createContext({
      ...{ ids, client: {}, scope, session, stats, pages: pageSizes(settings), maxCalls: stats.maxCalls },
      work: {
        signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(settings.REQUEST_TIMEOUT_MS)]),
        share: () => () => undefined,
      },
      onAnswered: () => undefined,
    });
    const prepared = this.#prepared;
    const running = async () => runOperation(prepared, this.request.variables, context);
    const answer = await running().finally(() => stats.end());
    if (this.#stopped.signal.aborted) return;
    if ('refusal' in answer) return this.fail(answer.refusal, true);
    observers.operation(reportOperation(context, prepared, answer), { ids });
    const transient = failuresOf(answer.errors).find((error) => isOneOf(TRANSIENT, error));
    if (transient) return this.#retry(transient, sinceMs);
    // Several viewers may share a scope, and must not share this.
    if (stats.isPersonal && !this.isPersonal) return this.onPersonal();
    this.#failures = 0;
    try {
      LiveOperation.check(answer.body, reads);
    } catch (error) {
      return this.fail(error as GraphQLError, true);
    }
    this.#accept({ body: answer.body, reads, errors: answer.errors });
  }

  /** Tries again after a failure that may pass, at growing intervals. The last result stands meanwhile. */
  #retry({ retryAfterMs = 0 }: UpstreamError, sinceMs = this.#options.gateway.store.now()): void {
    this.#changedSinceMs = Math.min(this.#changedSinceMs ?? Number.POSITIVE_INFINITY, sinceMs);
    const backoffMs = Math.min(this.#intervalMs * 2 ** this.#failures++, MAX_RETRY_MS);
    this.#cancelRun?.();
    this.#cancelRun = undefined;
    this.#runAfter(Math.max(backoffMs, retryAfterMs));
  }

  /** Sends the result where it is not what was sent before. */
  #show(): boolean {
    const stale = this.#options.poller.overdueOf(this.#cache, this);
    const shown = stale.length === 0 ? this.#json : withStale(this.#json, stale);
    if (shown === this.#shown) return false;
    this.#shown = shown;
    this.#buffers.clear();
    for (const { stream } of this.subscribers) this.#send(stream);
    return true;
  }

  /** All streams of one framing share the bytes. */
  #send(stream: ResultStream): void {
    const { framing } = stream;
    const buffer = this.#buffers.get(framing) ?? framing.result(this.#shown);
    this.#buffers.set(framing, buffer);
    this.#options.counts.results++;
    stream.send(buffer);
  }
}

function prepare(
  { text, operationName }: OperationRequest,
  { schema, prepared }: GraphqlServer,
): PreparedOperation | GraphQLError {
  const known = prepared.get(text, operationName);
  if (known) return known;
  const checked = checkDocument(text, schema);
  if ('problems' in checked) return requestError(400, checked.problems.join('\n'));
  return prepared.prepare(checked.document, text, operationName);
}

const failuresOf = (errors: readonly GraphQLError[]): readonly UpstreamError[] =>
  errors.flatMap(({ originalError }) => (originalError instanceof UpstreamError ? [originalError] : []));

/** Says that a result may be out of date; rounded, so that it is said once. */
function withStale(json: string, stale: readonly Overdue[]): string {
  const { extensions, ...result } = JSON.parse(json);
  const said = stale.map(({ operation, ageMs }) => ({ operation, ageMs: Math.floor(ageMs / 60_000) * 60_000 }));
  return JSON.stringify({ ...result, extensions: { ...extensions, stale: said } });
}
